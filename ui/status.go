package ui

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hookline-dev/hookline/ui/clean"
)

// Status keeps the status texts that hooks set, one for each key. The zero
// value is ready to use. It is safe for concurrent use.
type Status struct {
	mu    sync.Mutex
	texts map[string]string
}

// Set keeps the text of a key as it is given; an empty one removes the key.
func (s *Status) Set(key, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text == "" {
		delete(s.texts, key)
		return
	}
	if s.texts == nil {
		s.texts = make(map[string]string)
	}
	s.texts[key] = text
}

// Texts returns a copy of the texts as they were set.
func (s *Status) Texts() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.texts)
}

// Line renders the texts in one line, sorted by key and cleaned, runs of blanks
// as one space. It takes cells on a terminal at most; colours count nothing.
func (s *Status) Line(cells int) string {
	texts := s.Texts()
	parts := make([]string, 0, len(texts))
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		if text := oneLine(texts[key]); text != "" {
			parts = append(parts, text)
		}
	}
	return clean.Cut(strings.Join(parts, " "), cells)
}

// oneLine cleans a status text. Blanks are collapsed after cleaning, because
// that turns newlines into spaces and may bring spaces together.
func oneLine(s string) string {
	s = clean.Line(s)
	var b strings.Builder
	space := false
	for _, r := range s {
		if r == ' ' {
			space = true
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return strings.Trim(b.String(), " ")
}

package redact

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/handler/process"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// Limits of the values that are looked for as they are.
const (
	// minValue is the length, in bytes, below which a value is too ordinary to be
	// looked for: replacing every "true" in a text helps nobody.
	minValue = 8
	// minLine is the same for a line of a value that has several.
	minLine = 16
)

const (
	markerStart = "[redacted:"
	envMarker   = "[redacted:env]"
)

// marker matches a text that is nothing but one marker.
var marker = lazyregexp.New(`^\[redacted:[a-z-]+\]$`)

// Redactor replaces secrets. It does not change and is safe for concurrent use.
// The zero Redactor knows patterns only.
type Redactor struct {
	values  []string // longest first, so that a value within another does not spoil it
	longest int
}

// New returns a redactor that knows the values of the secrets in an environment,
// given as KEY=VALUE. Names are judged by the table with which hooks are kept from
// credentials.
func New(environ []string) *Redactor {
	r := &Redactor{}
	rules := process.EnvRules()
	for _, kv := range environ {
		name, value, ok := strings.Cut(kv, "=")
		if ok && secretVariable(rules, name) {
			r.add(value)
		}
	}
	slices.SortFunc(r.values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	r.values = slices.Compact(r.values)
	if len(r.values) > 0 {
		r.longest = len(r.values[0])
	}
	return r
}

// add remembers a value in the spellings in which it may turn up.
func (r *Redactor) add(value string) {
	value = strings.TrimSpace(value)
	spellings := append(encoded(value), value, url.QueryEscape(value), url.PathEscape(value))
	text := value
	for range 2 { // a string within a string too
		if quoted, err := jsontext.AppendQuote(nil, text); err == nil {
			text = string(quoted[1 : len(quoted)-1])
			spellings = append(spellings, text)
		}
	}
	if strings.Contains(value, "\n") {
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); len(line) >= minLine && !strings.HasPrefix(line, "-----") {
				spellings = append(spellings, line)
			}
		}
	}
	for _, s := range spellings {
		if len(s) >= minValue && !strings.Contains(envMarker, s) && !strings.Contains(s, markerStart) {
			r.values = append(r.values, s)
		}
	}
}

// encoded are the spellings of a value in base64, alone and within more text, and in
// hexadecimal. What of base64 depends on the bytes before and behind is not part of them.
func encoded(value string) []string {
	if len(value) < minValue {
		return nil
	}
	out := []string{hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value)))}
	for shift := range 3 {
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := enc.EncodeToString(append(make([]byte, shift), value...))
			if shift > 0 {
				text = text[shift+1:]
			}
			if (shift+len(value))%3 != 0 {
				text = text[:len(text)-1]
			}
			out = append(out, text)
		}
	}
	return out
}

func secretVariable(rules []process.EnvRule, name string) bool {
	name = strings.ToUpper(name)
	for _, rule := range rules {
		if rule.Class == process.EnvCredential && !rule.Pass && rule.Matches(name) {
			return true
		}
	}
	return false
}

// maxPasses bounds how often a text is gone through. A pass that replaced
// something may have made a boundary at which another pattern now begins.
const maxPasses = 16

// String returns s with every secret replaced by a marker.
func (r *Redactor) String(s string) string {
	for range maxPasses {
		next := r.pass(s)
		if next == s {
			break
		}
		s = next
	}
	return s
}

func (r *Redactor) pass(s string) string {
	for _, v := range r.values {
		if strings.Contains(s, v) {
			s = strings.ReplaceAll(s, v, envMarker)
		}
	}
	s = assignments(s)
	var lower string
	for i := range rules {
		rule := &rules[i]
		text := s
		if rule.anyCase {
			if lower == "" {
				lower = lowerASCII(s)
			}
			text = lower
		}
		if !slices.ContainsFunc(rule.hints, func(h string) bool { return strings.Contains(text, h) }) {
			continue
		}
		if next := rule.apply(s); next != s {
			s, lower = next, ""
		}
	}
	return s
}

// lowerASCII is strings.ToLower that keeps every byte at its place.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// reach is how much text after the end of a clip is looked at, so that a secret
// which the end would cut in two is still recognised.
const reach = 64 << 10

// Clip returns the beginning of the redacted s, of at most limit bytes, and whether
// anything was left out. It looks at no more of s than it needs. Neither a secret
// nor a marker nor a rune is cut in two.
func (r *Redactor) Clip(s string, limit int) (out string, cut bool) {
	beyond := max(reach, r.longest)
	if len(s) <= limit+beyond {
		out = r.String(s)
	} else {
		out = r.String(s[:runeStart(s, limit+beyond)])
		// The last part may be the beginning of a secret that was not recognised.
		out, cut = out[:runeStart(out, max(0, len(out)-beyond))], true
	}
	if len(out) > limit {
		out, cut = out[:runeStart(out, limit)], true
	}
	if i := strings.LastIndexByte(out, '['); cut && i >= 0 && !strings.Contains(out[i:], "]") {
		if tail := out[i:]; strings.HasPrefix(tail, markerStart) || strings.HasPrefix(markerStart, tail) {
			out = out[:i]
		}
	}
	return out, cut
}

// runeStart returns the greatest index not above n at which a rune of s begins.
func runeStart(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for i := n; i > 0 && i > n-4; i-- {
		if s[i]&0xC0 != 0x80 {
			return i
		}
	}
	return n
}

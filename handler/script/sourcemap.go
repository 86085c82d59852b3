package script

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// sourceMap leads from a place in the bundle back to the module's own files.
type sourceMap struct {
	sources []string
	lines   [][]segment // by generated line, sorted by column
}

// segment says where the code at a generated column comes from. All numbers
// start at 0.
type segment struct {
	column               int
	source, line, origin int
}

// lazyMap decodes a source map when the first error needs it.
type lazyMap struct {
	text   []byte
	dir    string // what relative sources are relative to
	offset int    // lines before the mapped text

	once sync.Once
	m    *sourceMap
}

// find maps a place in the bundle, counted from 1, to the module's source; ok
// is false where there is none.
func (l *lazyMap) find(line, column int) (Position, bool) {
	l.once.Do(func() {
		m, err := parseSourceMap(l.text)
		if err != nil {
			m = &sourceMap{}
		}
		l.m = m
	})
	src, pos, ok := l.m.find(line-1-l.offset, column-1)
	if !ok {
		return Position{}, false
	}
	if !strings.Contains(src, ":") || filepath.VolumeName(src) != "" {
		if !filepath.IsAbs(src) {
			src = filepath.Join(l.dir, filepath.FromSlash(src))
		}
	}
	pos.File = src
	return pos, true
}

func (m *sourceMap) find(line, column int) (string, Position, bool) {
	if line < 0 || line >= len(m.lines) {
		return "", Position{}, false
	}
	segs := m.lines[line]
	n, found := slices.BinarySearchFunc(segs, column, func(s segment, c int) int { return cmp.Compare(s.column, c) })
	if !found {
		n--
	}
	if n < 0 || segs[n].source >= len(m.sources) {
		return "", Position{}, false
	}
	s := segs[n]
	return m.sources[s.source], Position{Line: s.line + 1, Column: s.origin + 1}, true
}

func parseSourceMap(text []byte) (*sourceMap, error) {
	var raw struct {
		Version  int      `json:"version"`
		Sources  []string `json:"sources"`
		Mappings string   `json:"mappings"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("reading the source map: %w", err)
	}
	if raw.Version != 3 {
		return nil, fmt.Errorf("source map version %d is not 3", raw.Version)
	}
	m := &sourceMap{sources: raw.Sources}
	var at [4]int // column, source, line, original column
	for line := range strings.SplitSeq(raw.Mappings, ";") {
		at[0] = 0
		var segs []segment
		for item := range strings.SplitSeq(line, ",") {
			if item == "" {
				continue
			}
			n, err := addVLQ(item, &at)
			if err != nil {
				return nil, err
			}
			if n >= 4 {
				segs = append(segs, segment{at[0], at[1], at[2], at[3]})
			}
		}
		m.lines = append(m.lines, segs)
	}
	return m, nil
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// addVLQ adds the variable-length numbers of one segment to at and returns how
// many there were.
func addVLQ(text string, at *[4]int) (n int, err error) {
	value, shift := 0, 0
	for _, c := range []byte(text) {
		digit := strings.IndexByte(base64Digits, c)
		if digit < 0 || shift > 30 {
			return 0, errors.New("the source map's mappings are malformed")
		}
		value |= digit & 31 << shift
		if digit&32 != 0 {
			shift += 5
			continue
		}
		delta := value >> 1
		if value&1 != 0 {
			delta = -delta
		}
		if n < len(at) {
			at[n] += delta
			if at[n] < 0 {
				return 0, errors.New("the source map's mappings are malformed")
			}
		}
		n++
		value, shift = 0, 0
	}
	if shift != 0 {
		return 0, errors.New("the source map's mappings end in the middle of a number")
	}
	return n, nil
}

package script

import (
	"path/filepath"
	"testing"
)

func TestSourceMap(t *testing.T) {
	// Two lines: the first maps columns 0 and 4 to a.ts 1:1 and 1:5, the second
	// column 2 to b.ts 3:2.
	l := &lazyMap{text: []byte(`{"version":3,"sources":["a.ts","hookline:node/fs"],"mappings":"AAAA,IAAI;ECEH"}`), dir: "/m", offset: 1}
	for _, c := range []struct {
		line, column int
		want         string
		ok           bool
	}{
		{2, 1, "/m/a.ts:1:1", true},
		{2, 4, "/m/a.ts:1:1", true},
		{2, 7, "/m/a.ts:1:5", true},
		{3, 1, "", false},
		{3, 9, "hookline:node/fs:3:2", true},
		{1, 1, "", false},
		{9, 1, "", false},
	} {
		pos, ok := l.find(c.line, c.column)
		if ok != c.ok || ok && filepath.ToSlash(pos.String()) != c.want {
			t.Errorf("%d:%d is %v, %v; want %s", c.line, c.column, pos, ok, c.want)
		}
	}
}

func TestDamagedSourceMapsFindNothing(t *testing.T) {
	for _, text := range []string{``, `{}`, `{"version":2}`, `{"version":3,"sources":[],"mappings":"AAAA"}`, `{"version":3,"mappings":"g"}`, `{"version":3,"mappings":"D"}`, `{"version":3,"mappings":"gggggggggggg"}`} {
		l := &lazyMap{text: []byte(text)}
		if pos, ok := l.find(1, 1); ok {
			t.Errorf("%s: found %v", text, pos)
		}
	}
}

func FuzzSourceMap(f *testing.F) {
	f.Add([]byte(`{"version":3,"sources":["a.ts"],"mappings":"AAAA,IAAI;ECEH"}`), 1, 1)
	f.Add([]byte(`{"version":3,"sources":["a.ts"],"mappings":";;;//A"}`), 4, 0)
	f.Fuzz(func(t *testing.T, text []byte, line, column int) {
		l := &lazyMap{text: text}
		if pos, ok := l.find(line, column); ok && (pos.Line < 1 || pos.Column < 1) {
			t.Errorf("found %+v", pos)
		}
	})
}

func FuzzHeaderRequests(f *testing.F) {
	f.Add("// hookline: exec net:a\n")
	f.Add("#!/x\n\n//hookline:,,\n")
	f.Fuzz(func(t *testing.T, src string) {
		for _, r := range headerRequests(src) {
			if r == "" {
				t.Error("an empty request")
			}
		}
	})
}

package executable

import "testing"

func FuzzDecodeCache(f *testing.F) {
	for _, s := range []string{
		"", "{", `{"version":1}`, `{"version":1,"entries":{"/x":{"size":1,"mtime_ns":2,"inode":3,"digest":"sha256:00","type":"turn_end"}}}`,
		`{"version":2,"entries":[]}`, `{"version":1,"entries":{"/x":null}}`, `{"version":1,"entries":{"\ud800":{}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if entries, err := decodeCache(data); err == nil && entries == nil {
			t.Error("no entries and no error")
		}
	})
}

func FuzzKnown(f *testing.F) {
	for _, s := range []string{"", "turn_end", "Turn_End", "turn end", "é", "a\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if (&Types{}).known(s) && (&Types{Known: func(string) bool { return false }}).known(s) {
			t.Errorf("%q is known to nobody", s)
		}
	})
}

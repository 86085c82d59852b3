package script

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestSameJSON(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{`[1,2]`, `[1,2]`, true},
		{`[1, 2]`, `[1,2]`, true},
		{`[1.0,2e1]`, `[1,20]`, true},
		{`["\u00e9\/"]`, `["é/"]`, true},
		{`["\u00E9"]`, `["\u00e9"]`, true},
		{`{"b":1,"1":2}`, `{"1":2,"b":1}`, true},
		{`{"b" : 1, "a" : 2}`, `{"a":2,"b":1}`, true},
		{`[[1],[2]]`, `[[1]]`, false},
		{`{"a":1,"b":2}`, `{"a":1}`, false},
		{`["abc"]`, `["abd"]`, false},
		{`["abc"]`, `["ab"]`, false},
		{`["a\\"]`, `["a\\b"]`, false},
		{`["a\"b"]`, `["a\"c"]`, false},
		{`"é"`, `"è"`, false},
		{`1`, `12`, false},
		{`0`, `0.000`, true},
		{`[1]`, `{}`, false},
	} {
		if sameJSON(tt.a, tt.b) != tt.same || sameJSON(tt.b, tt.a) != tt.same {
			t.Errorf("%s and %s: not %t", tt.a, tt.b, tt.same)
		}
	}
}

// FuzzSameJSON holds the quick comparison against the canonical forms.
func FuzzSameJSON(f *testing.F) {
	for _, s := range []string{`[1,2]`, `[1.0, 2]`, `["\u00e9"]`, `["é"]`, `{"b":1,"1":2}`, `{"1":2,"b":1}`, `["a\\\"b"]`} {
		f.Add(s, s)
		f.Add(s, `[1,2,3]`)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := jsontext.Value(a), jsontext.Value(b)
		if x.Canonicalize() != nil || y.Canonicalize() != nil {
			t.Skip()
		}
		if got, want := sameJSON(a, b), string(x) == string(y); got != want {
			t.Errorf("%q and %q: %t", a, b, got)
		}
	})
}

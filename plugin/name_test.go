package plugin_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/plugin"
)

func TestParseName(t *testing.T) {
	for in, want := range map[string]string{
		"org/repo": "org/repo org@repo", "org@repo": "org/repo org@repo", "my-hooks": "my-hooks my-hooks",
		"org@repo@x": "org/repo@x org@repo@x", "org/repo@x": "org/repo@x org@repo@x", "a.b/c_d": "a.b/c_d a.b@c_d",
	} {
		n, err := plugin.ParseName(in)
		if err != nil || n.String()+" "+n.Dir() != want {
			t.Errorf("%s: %q %q, %v", in, n.String(), n.Dir(), err)
		}
	}
	for _, in := range []string{
		"", "/", "a/", "/a", "@a", "a@", "..", "../x", "a/..", "a/../b", "a/b/c", "/abs/x", `a\b`, `C:\x`, "-x", "a/-x", ".x", "a/.x",
		"a b", "a\nb", "a\x00", "a\u202eb", "CON", "nul.txt", "a/aux", "a.", "a/b.", "größe", strings.Repeat("a", 200),
	} {
		if n, err := plugin.ParseName(in); err == nil {
			t.Errorf("%q passed as %+v", in, n)
		} else if _, ok := errors.AsType[*plugin.NameError](err); !ok {
			t.Errorf("%q: %T", in, err)
		}
	}
}

func TestParseItem(t *testing.T) {
	for in, want := range map[string]string{
		"org/repo/name": "org/repo/name", "org@repo/name": "org/repo/name", "name": "name", "a@b": "a@b",
		"org@repo/deep/name": "org/repo/deep/name", "sub/name": "sub/name",
	} {
		if got, err := plugin.ParseItem(in); err != nil || got != want {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "/x", "x/", "a//b", "..", "a/../b", "./a", `a\b`, "C:x", "a\nb", "@x/y"} {
		if got, err := plugin.ParseItem(in); err == nil {
			t.Errorf("%q passed as %q", in, got)
		}
	}
}

func FuzzParseName(f *testing.F) {
	for _, s := range []string{"org/repo", "org@repo", "x", "a@b@c", "../x", "CON", "a/b/c", "\u202e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := plugin.ParseName(s)
		if err != nil {
			return
		}
		if !filepath.IsLocal(n.Dir()) || strings.ContainsAny(n.Dir(), `/\`) || n.Dir()[0] == '.' || n.Dir()[0] == '-' {
			t.Fatalf("%q gave the directory %q", s, n.Dir())
		}
		for _, spelling := range []string{n.String(), n.Dir()} {
			if again, err := plugin.ParseName(spelling); err != nil || again != n {
				t.Fatalf("%q: %q reads as %+v, %v", s, spelling, again, err)
			}
		}
	})
}

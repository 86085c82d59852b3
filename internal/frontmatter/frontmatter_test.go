package frontmatter_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/frontmatter"
)

func TestSplitFindsHeaderAndBody(t *testing.T) {
	tests := []struct {
		name, src    string
		header, body string
		has          bool
		bodyLine     int
	}{
		{"no header", "# Title\n", "", "# Title\n", false, 1},
		{"header", "---\na: 1\n---\nbody\n", "a: 1\n", "body\n", true, 4},
		{"empty header", "---\n---\nbody", "", "body", true, 3},
		{"no body", "---\na: 1\n---", "a: 1\n", "", true, 4},
		{"crlf", "---\r\na: 1\r\n---\r\nx\r\ny\r\n", "a: 1\n", "x\ny\n", true, 4},
		{"bom", "\ufeff---\na: 1\n---\nx", "a: 1\n", "x", true, 4},
		{"trailing blanks", "--- \na: 1\n---\t\nx", "a: 1\n", "x", true, 4},
		{"rule inside text is not a fence", "---\na: ----\n---\nx\n---\n", "a: ----\n", "x\n---\n", true, 4},
		{"four dashes open nothing", "----\na: 1\n---\n", "", "----\na: 1\n---\n", false, 1},
		{"empty", "", "", "", false, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := frontmatter.Split("f.md", []byte(tt.src))
			if err != nil {
				t.Fatal(err)
			}
			if d.Header != tt.header || d.Body != tt.body || d.HasHeader != tt.has || d.BodyLine != tt.bodyLine {
				t.Errorf("got %+v", d)
			}
		})
	}
}

func TestFaultsAreLocated(t *testing.T) {
	tests := []struct{ name, src, position, text string }{
		{"never closed", "---\na: 1\n", "f.md:1", "never closed"},
		{"duplicate key", "---\nname: a\ndescription: b\nname: c\n---\n", "f.md:4:1", `"name" is given twice, first on line 2`},
		{"nested duplicate", "---\nhooks:\n  x: 1\n  x: 2\n---\n", "f.md:4:3", "given twice"},
		{"colon in text", "---\nname: a: b\n---\n", "f.md:2:8", "in quotes"},
		{"tab", "---\na:\n\t- x\n---\n", "f.md:3:1", "spaces, not tabs"},
		{"list on top", "---\n- a\n---\n", "f.md:2:1", "must be a map"},
		{"unknown anchor", "---\na: *.go\n---\n", "f.md:2:4", "in quotes"},
		{"unknown tag", "---\na: !!python/object x\n---\n", "f.md:2:4", "not supported"},
		{"merge key", "---\nb: &b {x: 1}\na:\n  <<: *b\n---\n", "f.md:4:3", "merge keys"},
		{"self reference", "---\na: &a [*a]\n---\n", "f.md:2:4", "nested deeper"},
		{"two documents", "---\na: 1\n...\nb: 2\n---\n", "f.md:", ""},
		{"not UTF-8", "---\na: 1\n---\nx\xffy", "f.md:4", "not UTF-8"},
		{"NUL", "x\n\x00", "f.md:2", "0x00"},
		{"UTF-16", "\xff\xfe-\x00", "f.md:1", "UTF-16"},
		{"map key", "---\n? {a: b}\n: c\n---\n", "f.md:2:3", "must be text"},
		{"too large", strings.Repeat("x", frontmatter.MaxFile+1), "f.md", "larger than"},
		{"large header", "---\na: " + strings.Repeat("x", frontmatter.MaxHeader) + "\n---\n", "f.md:1", "larger than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := frontmatter.Split("f.md", []byte(tt.src))
			if err == nil {
				_, err = d.Decode()
			}
			located, ok := errors.AsType[*diag.Diagnostic](err)
			if !ok {
				t.Fatalf("got %v, want a located error", err)
			}
			if !strings.HasPrefix(located.Error(), tt.position) || !strings.Contains(located.Error(), tt.text) {
				t.Errorf("got %q, want it to start with %q and say %q", located, tt.position, tt.text)
			}
		})
	}
}

func TestAliasBombIsRefusedQuickly(t *testing.T) {
	var b strings.Builder
	b.WriteString("---\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9)+fmt.Sprintf("*a%d", i-1))
	}
	b.WriteString("---\n")
	d, err := frontmatter.Split("f.md", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Decode(); err == nil || !strings.Contains(err.Error(), "expands to more than") {
		t.Errorf("got %v", err)
	}
}

func TestValues(t *testing.T) {
	d, err := frontmatter.Split("f.md", []byte(`---
name: 12
on: true
ratio: 1.5
none:
list: [a, 2, true]
text: Read, Grep
nested:
  deep: {handler: x, once: TRUE}
---
`))
	if err != nil {
		t.Fatal(err)
	}
	v, err := d.Decode()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"name": int64(12), "on": true, "ratio": 1.5, "none": nil,
		"list": []any{"a", int64(2), true}, "text": "Read, Grep",
		"nested": map[string]any{"deep": map[string]any{"handler": "x", "once": true}},
	}
	if got := v.Any(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v", got)
	}
	name, _ := v.Get("name")
	if s, err := name.Text("name"); s != "12" || err != nil {
		t.Errorf("Text = %q, %v", s, err)
	}
	list, _ := v.Get("list")
	if s, err := list.Strings("list", nil); !reflect.DeepEqual(s, []string{"a", "2", "true"}) || err != nil {
		t.Errorf("Strings = %q, %v", s, err)
	}
	if _, err := list.Text("list"); err == nil || !strings.HasPrefix(err.Error(), "f.md:6:7: list must be text, not a list") {
		t.Errorf("Text of a list: %v", err)
	}
	if _, err := name.Bool("name"); err == nil {
		t.Error("a number passed as true/false")
	}
	if _, err := name.Entries("name"); err == nil {
		t.Error("a number passed as a map")
	}
	if _, err := v.Strings("all", nil); err == nil {
		t.Error("a map passed as a list")
	}
}

func TestReadRegularTakesRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	if _, err := frontmatter.ReadRegular(dir, 100); err == nil {
		t.Error("a directory was read")
	}
	path := filepath.Join(dir, "f.md")
	if err := os.WriteFile(path, []byte("---\na: 1\n---\nx"), 0o644); err != nil {
		t.Fatal(err)
	}
	src, err := frontmatter.ReadRegular(path, 100)
	if err != nil || string(src) != "---\na: 1\n---\nx" {
		t.Errorf("got %q, %v", src, err)
	}
	if _, err := frontmatter.ReadRegular(path, 3); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("got %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		"---\na: 1\n---\nbody", "---\na: [1, {b: c}]\n---\n", "---\r\na: &x [1]\r\nb: *x\r\n---\r\n",
		"\ufeff---\n---\n", "---\na: |\n  text\n---\n", "---\n? a\n: b\n---\n", "---\n<<: {a: 1}\n---\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		d, err := frontmatter.Split("f.md", src)
		if err != nil {
			if _, ok := errors.AsType[*diag.Diagnostic](err); !ok {
				t.Fatalf("%T is not located", err)
			}
			return
		}
		v, err := d.Decode()
		if err != nil {
			located, ok := errors.AsType[*diag.Diagnostic](err)
			if !ok || located.Line < 1 || located.Line > 2+strings.Count(d.Header, "\n")+strings.Count(d.Header, "\r")+strings.Count(d.Header, "\u2028")+strings.Count(d.Header, "\u2029")+strings.Count(d.Header, "\u0085") {
				t.Fatalf("%v is not located inside the header %q", err, d.Header)
			}
			return
		}
		if v.Kind != frontmatter.Map {
			t.Fatalf("kind %v", v.Kind)
		}
		v.Any()
	})
}

func TestWordsAndCommas(t *testing.T) {
	for in, want := range map[string][2]string{
		"":                                  {"", ""},
		" , ,":                              {"", ""},
		"Read,Grep":                         {"Read|Grep", "Read|Grep"},
		"Read Grep\tLS":                     {"Read|Grep|LS", "Read Grep\tLS"},
		"Bash(git add:*, git rm:*) , Read ": {"Bash(git add:*, git rm:*)|Read", "Bash(git add:*, git rm:*)|Read"},
		"a) b(c, d":                         {"a)|b(c, d", "a) b(c, d"},
	} {
		if got := [2]string{strings.Join(frontmatter.Words(in), "|"), strings.Join(frontmatter.Commas(in), "|")}; got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

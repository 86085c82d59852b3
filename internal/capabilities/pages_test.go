package capabilities

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// page is a Markdown file; its path is relative to the root, with slashes.
type page struct{ path, text string }

func readPages(t *testing.T) []page {
	t.Helper()
	var out []page
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".md" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		out = append(out, page{filepath.ToSlash(rel), string(data)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// prose returns the text with its code taken out, line for line.
func prose(text string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.SplitSeq(text, "\n") {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if !fenced && !fence && !strings.HasPrefix(line, "    ") {
			b.WriteString(quoted.ReplaceAllString(line, "code"))
		}
		fenced = fenced != fence
		b.WriteByte('\n')
	}
	return b.String()
}

var link = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)\)`)

func TestLinksResolve(t *testing.T) {
	pages := readPages(t)
	if len(pages) < 10 {
		t.Fatalf("only %d pages were found", len(pages))
	}
	for _, p := range pages {
		for i, line := range strings.Split(prose(p.text), "\n") {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if why := follow(p, m[1]); why != "" {
					t.Errorf("%s:%d: %s: %s", p.path, i+1, m[1], why)
				}
			}
		}
	}
}

// follow says what is wrong with a link of a page; "" is nothing.
func follow(p page, target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return err.Error()
	}
	if u.IsAbs() {
		return ""
	}
	text := p.text
	if u.Path != "" {
		path := filepath.Join(root, filepath.Dir(filepath.FromSlash(p.path)), filepath.FromSlash(u.Path))
		if rel, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(rel) {
			return "it leads out of the repository"
		}
		if _, err := os.Stat(path); err != nil {
			return err.Error()
		}
		if u.Fragment == "" {
			return ""
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err.Error()
		}
		text = string(data)
	}
	if !anchors(text)[u.Fragment] {
		return "there is no such heading"
	}
	return ""
}

// anchors returns the names of a page's headings as links write them.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	fenced := false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if fenced || !strings.HasPrefix(line, "#") {
			continue
		}
		title := strings.TrimSpace(strings.TrimLeft(line, "#"))
		slug := strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, title)
		name := slug
		for n := 1; out[name]; n++ {
			name = fmt.Sprintf("%s-%d", slug, n)
		}
		out[name] = true
	}
	return out
}

func TestBadLinksAreFound(t *testing.T) {
	p := page{"docs/x.md", "# A title, two\n## A title, two\n"}
	for target, good := range map[string]bool{
		"events.md": true, "events.md#pretooluse": true, "#a-title-two": true, "#a-title-two-1": true, "../README.md": true,
		"https://example.com/nothing": true, "events.md#no-such": false, "nothing.md": false, "#a-title": false, "../../../etc": false,
	} {
		if why := follow(p, target); (why == "") != good {
			t.Errorf("%s: %q, expected it to be good: %v", target, why, good)
		}
	}
	if got := link.FindAllString(prose("[a](b.md) `[c](d.md)`\n```\n[e](f.md)\n```\n    [g](h.md)\n[i](j.md)"), -1); len(got) != 2 {
		t.Errorf("links in prose: %q", got)
	}
}

// TestNoPageNamesAPathOfThisMachine looks for where the tree and the home directory
// are here, wherever that is.
func TestNoPageNamesAPathOfThisMachine(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	here := []string{root}
	if home, err := os.UserHomeDir(); err == nil {
		here = append(here, home)
	}
	for _, p := range readPages(t) {
		for i, line := range strings.Split(p.text, "\n") {
			if m := namesPath(line, here...); m != "" {
				t.Errorf("%s:%d: %s", p.path, i+1, m)
			}
		}
	}
	for text, want := range map[string]bool{"see /a/tree/docs": true, "`/home/me`": true, "/a/trees": false, "src/a/tree": false, "/home/meadow": false} {
		if got := namesPath(text, "/a/tree", "/home/me") != ""; got != want {
			t.Errorf("%q: %v, expected %v", text, got, want)
		}
	}
}

// namesPath returns the first of the paths that a text names, as a whole or with more
// below it.
func namesPath(text string, paths ...string) string {
	for _, p := range paths {
		if len(p) > 1 && regexp.MustCompile(`(^|[^\w./-])`+regexp.QuoteMeta(p)+`($|[^\w-])`).MatchString(text) {
			return p
		}
	}
	return ""
}

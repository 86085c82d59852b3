package tool_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
)

func TestRead(t *testing.T) {
	s, dir := newSet(t)
	var long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&long, "line %d\n", i+1)
	}
	file(t, filepath.Join(dir, "long.txt"), long.String())
	file(t, filepath.Join(dir, "crlf.txt"), "\ufeffa\r\nb")
	file(t, filepath.Join(dir, "wide.txt"), strings.Repeat("ä", 4000)+"\nend\n")
	file(t, filepath.Join(dir, "latin.txt"), "caf\xe9\n")
	file(t, filepath.Join(dir, "empty.txt"), "")
	file(t, filepath.Join(dir, "binary"), "a\x00b")
	tests := []struct {
		in         args
		text, fail string
	}{
		{args{"file_path": "crlf.txt"}, "1\ta\n2\tb", ""},
		{args{"file_path": filepath.Join(dir, "crlf.txt"), "offset": 2}, "2\tb", ""},
		{args{"file_path": "long.txt", "offset": 2999, "limit": 1}, "2999\tline 2999", ""},
		{args{"file_path": "long.txt", "offset": 3000, "limit": 2}, "3000\tline 3000\n3001\t", ""},
		{args{"file_path": "empty.txt"}, "<system-reminder>The file is empty.</system-reminder>", ""},
		{args{"file_path": "long.txt", "offset": 4000}, "<system-reminder>The file has 3001 lines, so there is none at offset 4000.</system-reminder>", ""},
		{args{"file_path": "none.txt"}, "", "does not exist"},
		{args{"file_path": "."}, "", "is a directory"},
		{args{"file_path": "binary"}, "", "is a binary file (3 bytes)"},
		{args{"file_path": "a\x00b"}, "", "NUL"},
	}
	for _, tt := range tests {
		r, err := run(t, s, "Read", tt.in)
		if tt.fail == "" && (err != nil || r.Text() != tt.text) {
			t.Errorf("%v: got %q, %v; want %q", tt.in, r.Text(), err, tt.text)
		}
		if tt.fail != "" && (err == nil || !strings.Contains(err.Error(), tt.fail)) {
			t.Errorf("%v: got %v, want %q", tt.in, err, tt.fail)
		}
	}
	if got := must(t, s, "Read", args{"file_path": "long.txt"}); !strings.Contains(got, "lines 1 to 2000 of 3001") {
		t.Errorf("got ...%q", got[len(got)-100:])
	}
	if got := must(t, s, "Read", args{"file_path": "wide.txt"}); !strings.Contains(got, "ä … (line cut)\n2\tend\n3\t") || strings.Contains(got, "\uFFFD") {
		t.Errorf("got %q", got)
	}
	if got := must(t, s, "Read", args{"file_path": "latin.txt"}); !strings.Contains(got, "caf\uFFFD") || !strings.Contains(got, "not valid UTF-8") {
		t.Errorf("got %q", got)
	}
	r, err := run(t, s, "Read", args{"file_path": "crlf.txt"})
	want := fmt.Sprintf(`{"type":"text","file":{"filePath":%q,"content":"a\nb","numLines":2,"startLine":1,"totalLines":2}}`, filepath.Join(dir, "crlf.txt"))
	if err != nil || string(r.Response) != want {
		t.Errorf("got %s, want %s", r.Response, want)
	}
}

func TestReadImage(t *testing.T) {
	s, dir := newSet(t)
	png := "\x89PNG\r\n\x1a\n\x00\x00"
	file(t, filepath.Join(dir, "x.png"), png)
	r, err := run(t, s, "Read", args{"file_path": "x.png"})
	if err != nil || len(r.Content) != 1 || r.Content[0].Type != model.ImageBlock || r.Content[0].Source.MediaType != "image/png" {
		t.Fatalf("got %+v, %v", r, err)
	}
	if !strings.Contains(string(r.Response), `{"type":"image","file":{"base64":"iVBORw0KGgoAAA==","type":"image/png","originalSize":10}}`) {
		t.Errorf("got %s", r.Response)
	}
	file(t, filepath.Join(dir, "big.png"), png+strings.Repeat("x", 6<<20))
	if _, err := run(t, s, "Read", args{"file_path": "big.png"}); err == nil {
		t.Error("a huge image was read")
	}
}

func TestReadPDF(t *testing.T) {
	s, dir := newSet(t)
	file(t, filepath.Join(dir, "x.pdf"), "%PDF-1.7\n\x00")
	r, err := run(t, s, "Read", args{"file_path": "x.pdf"})
	if err != nil || len(r.Content) != 1 || r.Content[0].Type != model.DocumentBlock || r.Content[0].Source.Data != "JVBERi0xLjcKAA==" {
		t.Fatalf("got %+v, %v", r, err)
	}
	if !strings.Contains(string(r.Response), `"type":"pdf"`) || !strings.Contains(string(r.Response), `"originalSize":10`) {
		t.Errorf("got %s", r.Response)
	}
	file(t, filepath.Join(dir, "big.pdf"), "%PDF-"+strings.Repeat("x", 21<<20))
	if _, err := run(t, s, "Read", args{"file_path": "big.pdf"}); err == nil {
		t.Error("a huge document was read")
	}
}

func TestReadNotebook(t *testing.T) {
	s, dir := newSet(t)
	file(t, filepath.Join(dir, "n.ipynb"), `{"cells":[
		{"cell_type":"markdown","id":"a1","source":["# Title\n","text"],"metadata":{}},
		{"cell_type":"code","execution_count":1,"source":"print(1)","outputs":[
			{"output_type":"stream","name":"stdout","text":["1\n","2\n"]},
			{"output_type":"display_data","data":{"text/plain":"<Figure>","image/png":"iVBORw0K\nGgo="}},
			{"output_type":"error","ename":"E","traceback":["went ","wrong"]}]},
		{"cell_type":"code","source":"x = `+"`"+`y`+"`"+`","outputs":[]}],"nbformat":4}`)
	r, err := run(t, s, "Read", args{"file_path": "n.ipynb"})
	if err != nil || len(r.Content) != 2 || r.Content[1].Type != model.ImageBlock || r.Content[1].Source.Data != "iVBORw0KGgo=" {
		t.Fatalf("got %+v, %v", r, err)
	}
	want := "[cell 1, markdown, id a1]\n# Title\ntext\n\n[cell 2, code]\nprint(1)\n[output]\n1\n2\n<Figure>went wrong\n\n[cell 3, code]\nx = `y`\n\n"
	if got := r.Text(); got != want {
		t.Errorf("got %q", got)
	}
	if !strings.Contains(string(r.Response), `"type":"notebook"`) || !strings.Contains(string(r.Response), `"source":"print(1)"`) {
		t.Errorf("hooks see %s", r.Response)
	}
	if got := must(t, s, "Read", args{"file_path": "n.ipynb", "offset": 2, "limit": 1}); !strings.Contains(got, "print(1)") || strings.Contains(got, "Title") || !strings.Contains(got, "(cells 2 to 2 of 3; read on with offset 3)") {
		t.Errorf("got %q", got)
	}
	if _, err := run(t, s, "Read", args{"file_path": "n.ipynb", "offset": 9}); err == nil || !strings.Contains(err.Error(), "only 3 cells") {
		t.Errorf("got %v", err)
	}
	must(t, s, "Edit", args{"file_path": "n.ipynb", "old_string": "print(1)", "new_string": "print(2)"})
	file(t, filepath.Join(dir, "broken.ipynb"), `{"cells":`)
	if got := must(t, s, "Read", args{"file_path": "broken.ipynb"}); !strings.Contains(got, "1\t{\"cells\":") {
		t.Errorf("got %q", got)
	}
}

func TestWrite(t *testing.T) {
	s, dir := newSet(t)
	path := filepath.Join(dir, "a", "b", "new.sh")
	r, err := run(t, s, "Write", args{"file_path": "a/b/new.sh", "content": "one\ntwo\n"})
	if err != nil || content(t, path) != "one\ntwo\n" {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`{"type":"create","filePath":%q,"content":"one\ntwo\n","structuredPatch":[],"originalFile":null,"userModified":false}`, path)
	if string(r.Response) != want {
		t.Errorf("got %s\nwant %s", r.Response, want)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	r, err = run(t, s, "Write", args{"file_path": path, "content": "one\n2\n"})
	if err != nil {
		t.Fatal(err)
	}
	if fi, _ := os.Stat(path); runtime.GOOS != "windows" && fi.Mode().Perm() != 0o755 {
		t.Errorf("mode %v", fi.Mode())
	}
	if !strings.Contains(string(r.Response), `"structuredPatch":[{"oldStart":1,"oldLines":2,"newStart":1,"newLines":2,"lines":[" one","-two","+2"]}],"originalFile":"one\ntwo\n"`) {
		t.Errorf("got %s", r.Response)
	}
	entries, _ := os.ReadDir(filepath.Dir(path))
	if len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	if _, err := run(t, s, "Write", args{"file_path": "a", "content": ""}); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("got %v", err)
	}
}

func TestEdit(t *testing.T) {
	tests := []struct {
		name, before string
		in           args
		after, fail  string
	}{
		{"once", "a\nb\nc\n", args{"old_string": "b", "new_string": "B"}, "a\nB\nc\n", ""},
		{"ambiguous", "b b", args{"old_string": "b", "new_string": "c"}, "", "occurs 2 times"},
		{"all", "b b", args{"old_string": "b", "new_string": "c", "replace_all": true}, "c c", ""},
		{"not there", "abc", args{"old_string": "x", "new_string": "y"}, "", "was not found"},
		{"not there but for blanks", "\tif  x {\n", args{"old_string": "if x {", "new_string": "y"}, "", "line 1 is like its first line"},
		{"nothing to do", "abc", args{"old_string": "a", "new_string": "a"}, "", "are the same"},
		{"CRLF is kept", "a\r\nb\r\nc\r\n", args{"old_string": "a\nb", "new_string": "x\ny"}, "x\r\ny\r\nc\r\n", ""},
		{"CRLF in a one-line edit", "a\r\nb\r\n", args{"old_string": "b", "new_string": "x\ny"}, "a\r\nx\r\ny\r\n", ""},
		{"CRLF as it is", "a\r\nb\r\n", args{"old_string": "a\r\nb", "new_string": "x\r\ny"}, "x\r\ny\r\n", ""},
		{"mixed endings stay", "a\r\nb\nc\n", args{"old_string": "b\n", "new_string": "B\n"}, "a\r\nB\nc\n", ""},
		{"other bytes stay", "caf\xe9 x\n", args{"old_string": "x", "new_string": "y"}, "caf\xe9 y\n", ""},
		{"byte order mark stays", "\ufeffa", args{"old_string": "a", "new_string": "b"}, "\ufeffb", ""},
		{"empty old string on content", "a", args{"old_string": "", "new_string": "b"}, "", "old_string is empty"},
		{"empty old string on an empty file", "", args{"old_string": "", "new_string": "b"}, "b", ""},
		{"dollar signs are text", "a", args{"old_string": "a", "new_string": "$1$0\\1"}, "$1$0\\1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, dir := newSet(t)
			path := file(t, filepath.Join(dir, "f"), tt.before)
			if err := os.Chmod(path, 0o640); err != nil {
				t.Fatal(err)
			}
			tt.in["file_path"] = "f"
			r, err := run(t, s, "Edit", tt.in)
			if tt.fail != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fail) || content(t, path) != tt.before {
					t.Errorf("got %v, content %q", err, content(t, path))
				}
				return
			}
			if err != nil || content(t, path) != tt.after {
				t.Fatalf("got %q, %v", content(t, path), err)
			}
			if fi, _ := os.Stat(path); runtime.GOOS != "windows" && fi.Mode().Perm() != 0o640 {
				t.Errorf("mode %v", fi.Mode())
			}
			if !strings.Contains(string(r.Response), `"structuredPatch":[{`) || !strings.Contains(string(r.Response), `"userModified":false`) {
				t.Errorf("response %s", r.Response)
			}
		})
	}
	s, dir := newSet(t)
	if must(t, s, "Edit", args{"file_path": "made", "old_string": "", "new_string": "x"}); content(t, filepath.Join(dir, "made")) != "x" {
		t.Error("no file was made")
	}
	if _, err := run(t, s, "Edit", args{"file_path": "none", "old_string": "a", "new_string": "x"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestWriteProtectedFile(t *testing.T) {
	s, dir := newSet(t)
	path := file(t, filepath.Join(dir, "f"), "old")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(path, 0o644) })
	must(t, s, "Read", args{"file_path": "f"})
	if _, err := run(t, s, "Write", args{"file_path": "f", "content": "new"}); err == nil || !strings.Contains(err.Error(), "is write-protected") {
		t.Errorf("got %v", err)
	}
	if content(t, path) != "old" {
		t.Error("the file was changed")
	}
}

func TestDirectoryThatMayNotBeWritten(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("nothing keeps this user from writing")
	}
	s, dir := newSet(t)
	path := file(t, filepath.Join(dir, "d", "f"), "old")
	if err := os.Chmod(filepath.Dir(path), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Dir(path), 0o755) })
	must(t, s, "Write", args{"file_path": "d/f", "content": "new"})
	if content(t, path) != "new" {
		t.Error("the file was not changed in place")
	}
	if _, err := run(t, s, "Write", args{"file_path": "d/g", "content": "x"}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}

func TestStaleFileIsNotOverwritten(t *testing.T) {
	s, dir := newSet(t)
	path := file(t, filepath.Join(dir, "f"), "old")
	must(t, s, "Read", args{"file_path": "f"})
	file(t, path, "changed by someone else")
	for _, c := range []struct {
		tool string
		in   args
	}{
		{"Write", args{"file_path": "f", "content": "mine"}},
		{"Edit", args{"file_path": "f", "old_string": "changed", "new_string": "mine"}},
	} {
		if _, err := run(t, s, c.tool, c.in); err == nil || !strings.Contains(err.Error(), "read it again") {
			t.Errorf("%s: got %v", c.tool, err)
		}
	}
	if content(t, path) != "changed by someone else" {
		t.Error("the file was changed")
	}
	must(t, s, "Read", args{"file_path": "f"})
	must(t, s, "Edit", args{"file_path": "f", "old_string": "changed", "new_string": "mine"})
	must(t, s, "Edit", args{"file_path": "f", "old_string": "mine", "new_string": "mine again"})
}

func TestFilesOutside(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights here")
	}
	s, dir := newSet(t)
	other, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	secret := file(t, filepath.Join(other, "secret"), "canary")
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link(other, "dirlink")
	link("dirlink", "link-to-link")
	link(secret, "filelink")
	link(filepath.Join(other, "new"), "dangling")
	link("loop", "loop")
	paths := []string{
		secret, "../" + filepath.Base(other) + "/secret", "dirlink/secret", "link-to-link/secret", "filelink",
		"dangling", "dirlink/made", "dirlink/../secret2", "/etc/hostname-none", "loop", "~/.hookline-none",
	}
	for _, p := range paths {
		for _, c := range []struct {
			tool string
			in   args
		}{
			{"Read", args{"file_path": p}},
			{"Write", args{"file_path": p, "content": "evil"}},
			{"Edit", args{"file_path": p, "old_string": "canary", "new_string": "evil"}},
			{"Edit", args{"file_path": p, "old_string": "", "new_string": "evil"}},
			{"Grep", args{"pattern": "canary", "path": p, "output_mode": "content"}},
		} {
			if p == "dirlink/../secret2" { // lexically inside, as cd would have it
				continue
			}
			r, err := run(t, s, c.tool, c.in)
			if err == nil {
				t.Errorf("%s %s: %q", c.tool, p, r.Text())
			}
			if _, ok := errors.AsType[*tool.PathError](err); !ok && p != "loop" {
				t.Errorf("%s %s: got %v", c.tool, p, err)
			}
		}
	}
	for _, name := range []string{"Glob", "LS"} {
		in := args{"path": "dirlink"}
		if name == "Glob" {
			in["pattern"] = "*"
		}
		if r, err := run(t, s, name, in); err == nil {
			t.Errorf("%s: %q", name, r.Text())
		}
	}
	if got := must(t, s, "Grep", args{"pattern": "canary"}); got != "No matches found." {
		t.Errorf("Grep followed a link: %q", got)
	}
	entries, _ := os.ReadDir(other)
	if len(entries) != 1 || content(t, secret) != "canary" {
		t.Errorf("something was written outside: %v", entries)
	}
}

func TestLinksInsideAreFollowed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights here")
	}
	s, dir := newSet(t)
	real := file(t, filepath.Join(dir, "real", "f"), "old")
	if err := os.Symlink(filepath.Join(dir, "real", "f"), filepath.Join(dir, "abs")); err != nil {
		t.Fatal(err)
	}
	must(t, s, "Edit", args{"file_path": "abs", "old_string": "old", "new_string": "new"})
	if fi, err := os.Lstat(filepath.Join(dir, "abs")); err != nil || fi.Mode()&fs.ModeSymlink == 0 || content(t, real) != "new" {
		t.Errorf("the link was replaced: %v, %v", fi, err)
	}
}

func TestPermit(t *testing.T) {
	other, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	no := errors.New("not this one")
	s, _ := newSet(t, func(c *tool.Config) {
		c.Permit = func(_ context.Context, path, real string, write bool) error {
			asked = append(asked, fmt.Sprint(filepath.Base(real), " ", write))
			if strings.HasSuffix(path, "forbidden") {
				return no
			}
			return nil
		}
	})
	path := filepath.Join(other, "sub", "f")
	must(t, s, "Write", args{"file_path": path, "content": "x"})
	if got := must(t, s, "Read", args{"file_path": path}); !strings.Contains(got, "x") {
		t.Errorf("got %q", got)
	}
	must(t, s, "LS", args{"path": other})
	if _, err := run(t, s, "Write", args{"file_path": filepath.Join(other, "forbidden"), "content": "x"}); !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
	if want := fmt.Sprint([]string{"f true", "f false", filepath.Base(other) + " false", "forbidden true"}); fmt.Sprint(asked) != want {
		t.Errorf("asked %v, want %v", asked, want)
	}
}

func TestAddDir(t *testing.T) {
	s, _ := newSet(t)
	other := t.TempDir()
	path := file(t, filepath.Join(other, "f"), "x")
	if _, err := run(t, s, "Read", args{"file_path": path}); err == nil {
		t.Error("read before it was allowed")
	}
	if err := s.AddDir(other); err != nil {
		t.Fatal(err)
	}
	must(t, s, "Read", args{"file_path": path})
	if len(s.Dirs()) != 2 || s.AddDir(path) == nil || s.AddDir(filepath.Join(other, "none")) == nil {
		t.Errorf("dirs %v", s.Dirs())
	}
}

func TestGlob(t *testing.T) {
	s, dir := newSet(t)
	now := time.Now()
	for i, name := range []string{"a.go", "sub/b.go", "sub/deep/c.go", "sub/d.txt", ".git/e.go", "node_modules/f.go", ".hidden/g.go"} {
		p := file(t, filepath.Join(dir, filepath.FromSlash(name)), "x")
		os.Chtimes(p, now, now.Add(time.Duration(i)*time.Minute))
	}
	tests := []struct {
		in   args
		want []string
		fail string
	}{
		{args{"pattern": "*.go"}, []string{"a.go"}, ""},
		{args{"pattern": "**/*.go"}, []string{".hidden/g.go", "sub/deep/c.go", "sub/b.go", "a.go"}, ""},
		{args{"pattern": "./sub/*"}, []string{"sub/d.txt", "sub/b.go"}, ""},
		{args{"pattern": "**/*.{go,txt}", "path": "sub"}, []string{"sub/d.txt", "sub/deep/c.go", "sub/b.go"}, ""},
		{args{"pattern": filepath.Join(dir, "sub", "*.go")}, []string{"sub/b.go"}, ""},
		{args{"pattern": "*.go", "path": ".git"}, []string{".git/e.go"}, ""},
		{args{"pattern": "*.rs"}, nil, ""},
		{args{"pattern": "[a"}, nil, "not a valid pattern"},
		{args{"pattern": "../*"}, nil, `must not hold ".."`},
		{args{"pattern": "*", "path": "a.go"}, nil, "is not a directory"},
		{args{"pattern": "*", "path": "none"}, nil, "does not exist"},
	}
	for _, tt := range tests {
		r, err := run(t, s, "Glob", tt.in)
		if tt.fail != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fail) {
				t.Errorf("%v: got %v", tt.in, err)
			}
			continue
		}
		var want []string
		for _, w := range tt.want {
			want = append(want, filepath.Join(dir, filepath.FromSlash(w)))
		}
		text := strings.Join(want, "\n")
		if len(want) == 0 {
			text = "No files found."
		}
		if err != nil || r.Text() != text || !strings.Contains(string(r.Response), fmt.Sprintf(`"numFiles":%d`, len(want))) {
			t.Errorf("%v: got %q, %v", tt.in, r.Text(), err)
		}
	}
	for i := range 150 {
		file(t, filepath.Join(dir, "many", fmt.Sprintf("%d.x", i)), "")
	}
	if got := must(t, s, "Glob", args{"pattern": "many/*"}); !strings.Contains(got, "(100 of 150 files") {
		t.Errorf("got %q", got)
	}
}

func TestLS(t *testing.T) {
	s, dir := newSet(t)
	file(t, filepath.Join(dir, "b.txt"), "")
	file(t, filepath.Join(dir, "a", "x"), "")
	file(t, filepath.Join(dir, "skip.log"), "")
	if runtime.GOOS != "windows" {
		os.Symlink("b.txt", filepath.Join(dir, "l"))
	}
	got := must(t, s, "LS", args{"path": dir, "ignore": []string{"*.log"}})
	want := dir + "\na/\nb.txt"
	if runtime.GOOS != "windows" {
		want += "\nl -> b.txt"
	}
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := must(t, s, "LS", args{}); !strings.HasPrefix(got, dir+"\n") {
		t.Errorf("got %q", got)
	}
}

func TestGrep(t *testing.T) {
	s, dir := newSet(t)
	file(t, filepath.Join(dir, "a.go"), "package a\n\nfunc Foo() {}\nfunc Bar() {}\n// foo\n")
	file(t, filepath.Join(dir, "sub", "b.txt"), "one\ntwo foo\nthree\nfour\nfoo five\n")
	file(t, filepath.Join(dir, "bin"), "foo\x00foo")
	file(t, filepath.Join(dir, ".git", "c"), "foo")
	past := time.Now().Add(-time.Hour)
	os.Chtimes(filepath.Join(dir, "a.go"), past, past)
	a, b := filepath.Join(dir, "a.go"), filepath.Join(dir, "sub", "b.txt")
	tests := []struct {
		in         args
		text, fail string
	}{
		{args{"pattern": "foo"}, "Found 2 files\n" + b + "\n" + a, ""},
		{args{"pattern": "foo", "glob": "*.txt"}, "Found 1 file\n" + b, ""},
		{args{"pattern": "foo", "glob": "sub/**"}, "Found 1 file\n" + b, ""},
		{args{"pattern": "foo", "type": "go"}, "Found 1 file\n" + a, ""},
		{args{"pattern": "Foo", "output_mode": "content"}, a + ":3:func Foo() {}", ""},
		{args{"pattern": "^FOO", "-i": true, "output_mode": "content", "-n": false, "path": "sub"}, b + ":foo five", ""},
		{args{"pattern": "foo", "output_mode": "count"}, a + ":1\n" + b + ":2", ""},
		{args{"pattern": "foo", "output_mode": "content", "path": "sub/b.txt", "-C": 1}, b + "-1-one\n" + b + ":2:two foo\n" + b + "-3-three\n" + b + "-4-four\n" + b + ":5:foo five", ""},
		{args{"pattern": "foo", "output_mode": "content", "path": "sub/b.txt", "-A": 0, "-B": 1}, b + "-1-one\n" + b + ":2:two foo\n--\n" + b + "-4-four\n" + b + ":5:foo five", ""},
		{args{"pattern": "foo|three", "output_mode": "content", "path": "sub/b.txt", "-A": 3}, b + ":2:two foo\n" + b + ":3:three\n" + b + "-4-four\n" + b + ":5:foo five", ""},
		{args{"pattern": "one.*three", "output_mode": "content", "multiline": true}, b + ":1:one\n" + b + ":2:two foo\n" + b + ":3:three", ""},
		{args{"pattern": "one.*three"}, "No matches found.", ""},
		{args{"pattern": "o", "output_mode": "content", "head_limit": 1, "offset": 1, "path": "sub/b.txt"}, b + ":2:two foo\n(only the first 1; use offset or a narrower search for the others)", ""},
		{args{"pattern": "^$", "output_mode": "content"}, a + ":2:", ""},
		{args{"pattern": "("}, "", "not a regular expression"},
		{args{"pattern": "x", "type": "klingon"}, "", "not known"},
		{args{"pattern": "x", "glob": "[a"}, "", "not a valid glob"},
		{args{"pattern": "x", "path": "none"}, "", "does not exist"},
	}
	for _, tt := range tests {
		r, err := run(t, s, "Grep", tt.in)
		if tt.fail == "" && (err != nil || r.Text() != tt.text) {
			t.Errorf("%v: got %q, %v; want %q", tt.in, r.Text(), err, tt.text)
		}
		if tt.fail != "" && (err == nil || !strings.Contains(err.Error(), tt.fail)) {
			t.Errorf("%v: got %v", tt.in, err)
		}
	}
	file(t, filepath.Join(dir, "huge.txt"), strings.Repeat("needle "+strings.Repeat("x", 2000)+"\n", 1000))
	got := must(t, s, "Grep", args{"pattern": "needle", "output_mode": "content", "head_limit": 10000})
	if len(got) > 80_000 || !strings.Contains(got, "(line cut)") || !strings.Contains(got, "only the first") {
		t.Errorf("%d bytes", len(got))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := runCtx(t, ctx, s, "Grep", args{"pattern": "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A search leaves out what may not be read.
func TestGrepHides(t *testing.T) {
	var dir string
	s, dir := newSet(t, func(c *tool.Config) {
		c.Hide = func() func(string) bool {
			return func(path string) bool { return path == filepath.Join(dir, "sub", ".env") }
		}
	})
	for _, name := range []string{"a", "sub/.env", "sub/b"} {
		file(t, filepath.Join(dir, filepath.FromSlash(name)), "KEY=1\n")
	}
	for _, path := range []string{".", "sub"} {
		if got := must(t, s, "Grep", args{"pattern": "KEY", "output_mode": "content", "path": path}); strings.Contains(got, ".env") || !strings.Contains(got, "b:1:KEY=1") {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestSpecialFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no devices here")
	}
	s, _ := newSet(t, func(c *tool.Config) {
		c.Permit = func(context.Context, string, string, bool) error { return nil }
	})
	for _, c := range []struct {
		tool string
		in   args
	}{
		{"Read", args{"file_path": "/dev/zero"}},
		{"Edit", args{"file_path": "/dev/null", "old_string": "", "new_string": "x"}},
		{"Write", args{"file_path": "/dev/null", "content": "x"}},
		{"Grep", args{"pattern": "x", "path": "/dev/zero"}},
	} {
		if _, err := run(t, s, c.tool, c.in); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: got %v", c.tool, err)
		}
	}
}

func FuzzEdit(f *testing.F) {
	f.Add("a\r\nb\r\n", "a\nb", "x\ny", false)
	f.Add("aaa", "a", "", true)
	f.Add("", "", "x", false)
	dir := f.TempDir()
	s, err := tool.New(tool.Config{Dir: dir})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	f.Fuzz(func(t *testing.T, before, from, to string, all bool) {
		path := filepath.Join(dir, "f")
		if os.WriteFile(path, []byte(before), 0o600) != nil {
			t.Skip()
		}
		in := args{"file_path": path, "old_string": strings.ToValidUTF8(from, "?"), "new_string": strings.ToValidUTF8(to, "?"), "replace_all": all}
		_, err := run(t, s, "Edit", in)
		after, readErr := os.ReadFile(path)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if err != nil && !bytes.Equal(after, []byte(before)) {
			t.Errorf("failed with %v and changed %q to %q", err, before, after)
		}
	})
}

package tool_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent/tool"
)

// buffers is an editor with texts that are not saved.
type buffers map[string]string

func (b buffers) ReadFile(_ context.Context, path string) (string, error) {
	text, ok := b[path]
	if !ok {
		return "", errors.New("kept private")
	}
	return text, nil
}

func (b buffers) WriteFile(_ context.Context, path, text string) error {
	if strings.HasSuffix(path, "locked") {
		return errors.New("rejected by the person")
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return err
	}
	b[path] = text
	return nil
}

func TestFilesAreReadAndWrittenInTheEditor(t *testing.T) {
	ed := buffers{}
	outer := t.TempDir()
	link := filepath.Join(outer, "project")
	s, dir := newSet(t, func(c *tool.Config) {
		if err := os.Symlink(c.Dir, link); err != nil {
			t.Skip(err)
		}
		c.Dir, c.Editor = link, ed
		c.Permit = func(context.Context, string, string, bool) error { return nil }
	})
	for name, text := range map[string]string{"a": "saved\n", "private": "x", "image.png": "\x89PNG\r\n\x1a\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := filepath.Join(link, "a") // as the editor was told
	ed[a] = "not saved\n"
	for _, c := range []struct {
		tool string
		in   args
		says string // of the error, where there is one
		want string // of the text, or what a has
	}{
		{"Write", args{"file_path": a, "content": "x"}, "read it first", "not saved\n"},
		{"Read", args{"file_path": "a"}, "", "not saved"},
		{"Edit", args{"file_path": "a", "old_string": "not saved", "new_string": "edited"}, "", "edited\n"},
		{"Write", args{"file_path": "a", "content": "whole"}, "", "whole"},
		{"Read", args{"file_path": "private"}, "kept private", "whole"},
		{"Edit", args{"file_path": "private", "old_string": "x", "new_string": "y"}, "kept private", "whole"},
		{"Read", args{"file_path": "image.png"}, "", ""},
		{"Read", args{"file_path": "none"}, "does not exist", "whole"},
		{"Write", args{"file_path": "locked", "content": "x"}, "rejected by the person", "whole"},
	} {
		r, err := run(t, s, c.tool, c.in)
		switch {
		case c.says != "":
			if err == nil || !strings.Contains(err.Error(), c.says) || ed[a] != c.want {
				t.Errorf("%s %v: %v, and the editor has %q", c.tool, c.in, err, ed[a])
			}
		case err != nil:
			t.Errorf("%s %v: %v", c.tool, c.in, err)
		case c.tool == "Read" && !strings.Contains(r.Text(), c.want), c.tool != "Read" && ed[a] != c.want:
			t.Errorf("%s %v: %q, and the editor has %q", c.tool, c.in, r.Text(), ed[a])
		}
	}
	ed[a] = "typed meanwhile"
	if _, err := run(t, s, "Write", args{"file_path": "a", "content": "x"}); err == nil || !strings.Contains(err.Error(), "has changed since") {
		t.Errorf("what the person typed is overwritten: %v", err)
	}
	if _, err := run(t, s, "Write", args{"file_path": "new/b", "content": "b"}); err != nil || ed[filepath.Join(link, "new", "b")] != "b" {
		t.Errorf("a new file: %v, %q", err, ed)
	}
	for name, want := range map[string]string{"a": "saved\n", "private": "x"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != want || err != nil {
			t.Errorf("%s was changed on the disk: %q, %v", name, got, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "locked")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what the editor rejected was written: %v", err)
	}
	out := filepath.Join(outer, "out")
	_, failed := run(t, s, "Write", args{"file_path": out, "content": "beside"})
	if got, err := os.ReadFile(out); string(got) != "beside" || failed != nil || err != nil {
		t.Errorf("outside of the directories: %q, %v, %v", got, failed, err)
	}
}

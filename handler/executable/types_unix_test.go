//go:build unix

package executable_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/executable"
	"github.com/hookline-dev/hookline/handler/process"
)

func known(typ string) bool {
	return slices.Contains([]string{"before_tool_call", "after_tool_call", "user_message_send", "agent_stop", "turn_end"}, typ)
}

func TestQuery(t *testing.T) {
	dir := t.TempDir()
	q := &executable.Types{Trusted: trustAll, Known: known, Timeout: 2 * time.Second}
	for _, tt := range []struct {
		name, body, want string
		printed          string
		code             int
		cause            error
	}{
		{name: "plain", body: "echo turn_end", want: "turn_end"},
		{name: "spaces", body: "printf '\\n  agent_stop \\r\\n'", want: "agent_stop"},
		{name: "BOM", body: "printf '\\357\\273\\277agent_stop'", want: "agent_stop"},
		{name: "unknown", body: "echo tool_call", printed: "tool_call", cause: executable.ErrNoType},
		{name: "silent", body: ":", cause: executable.ErrNoType},
		{name: "two", body: "echo turn_end; echo turn_end", printed: "turn_end turn_end", cause: executable.ErrNoType},
		{name: "ansi", body: "printf '\\033[31mturn_end'", printed: `\x1b[31mturn_end`, cause: executable.ErrNoType},
		{name: "spew", body: "head -c 100000 /dev/zero | tr '\\0' x", printed: strings.Repeat("x", 200) + "…", cause: executable.ErrNoType},
		{name: "fails", body: "echo turn_end; echo broken >&2; exit 3", printed: "turn_end", code: 3},
		{name: "killed", body: "kill -9 $$", code: -1},
		{name: "slow", body: "echo turn_end; sleep 60", printed: "turn_end", code: -1, cause: context.DeadlineExceeded},
		{name: "holds its pipe", body: "sleep 3 & echo turn_end", want: "turn_end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := program(t, dir, tt.name, tt.body, "")
			typ, err := q.Query(t.Context(), file)
			if tt.want != "" {
				if typ != tt.want || err != nil {
					t.Errorf("%q, %v", typ, err)
				}
				return
			}
			e, ok := errors.AsType[*executable.QueryError](err)
			if !ok || typ != "" {
				t.Fatalf("%q, %v", typ, err)
			}
			if e.Path != file || e.Printed != tt.printed || e.ExitCode != tt.code || tt.cause != nil && !errors.Is(err, tt.cause) {
				t.Errorf("%+v", e)
			}
			if tt.name == "fails" && (e.Stderr != "broken" || !strings.Contains(err.Error(), "exit status 3")) {
				t.Errorf("%v", err)
			}
		})
	}
	_, err := q.Query(t.Context(), filepath.Join(dir, "gone"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	_, err = q.Query(t.Context(), write(t, filepath.Join(dir, "text"), "words"))
	if e, ok := errors.AsType[*process.StartError](err); !ok || e.Reason != process.ReasonBadFormat {
		t.Errorf("%v", err)
	}
}

func TestCacheAsksOncePerContent(t *testing.T) {
	dir, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	file := program(t, dir, "guard", "echo turn_end", "")
	bad := program(t, dir, "bad", "echo nonsense", "")
	for i := range 3 {
		q := &executable.Types{Trusted: trustAll, Known: known, CacheDir: cache}
		got := q.QueryAll(t.Context(), programs(file, bad, file))
		if got[0].Type != "turn_end" || got[0].Err != nil || got[0].Cached != (i > 0) || got[0].Digest == "" || got[1].Err == nil {
			t.Fatalf("round %d: %+v", i, got)
		}
		if err := q.CacheError(); err != nil {
			t.Fatal(err)
		}
	}
	if n := starts(t, file); n > 2 {
		t.Errorf("an unchanged program was started %d times", n)
	}
	program(t, dir, "guard", "echo agent_stop", "")
	q := &executable.Types{Trusted: trustAll, Known: known, CacheDir: cache}
	if typ, err := q.Query(t.Context(), file); typ != "agent_stop" || err != nil {
		t.Errorf("after a change: %q, %v", typ, err)
	}
	info, err := os.Stat(filepath.Join(cache, "executable-types.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("cache file: %v, %v", info, err)
	}
	// What was known is not taken when it is known no more.
	strict := &executable.Types{Trusted: trustAll, Known: func(string) bool { return false }, CacheDir: cache}
	if typ, err := strict.Query(t.Context(), file); typ != "" || err == nil {
		t.Errorf("%q, %v", typ, err)
	}
}

func TestCacheLooksAtContent(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	file := program(t, dir, "guard", "echo aaa", "")
	if typ, err := (&executable.Types{Trusted: trustAll, CacheDir: cache}).Query(t.Context(), file); typ != "aaa" || err != nil {
		t.Fatalf("%q, %v", typ, err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	program(t, dir, "guard", "echo bbb", "") // the same file and size
	if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if typ, err := (&executable.Types{Trusted: trustAll, CacheDir: cache}).Query(t.Context(), file); typ != "bbb" || err != nil {
		t.Errorf("%q, %v", typ, err)
	}
}

func TestCacheFileThatCannotBeUsed(t *testing.T) {
	file := program(t, t.TempDir(), "guard", "echo turn_end", "")
	for name, content := range map[string]string{
		"corrupt":    "{",
		"duplicates": `{"version":1,"version":1}`,
		"older":      `{"version":0,"entries":{"` + file + `":{"type":"agent_stop"}}}`,
		"newer":      `{"version":99,"entries":[]}`,
		"empty":      "",
	} {
		cache := t.TempDir()
		path := filepath.Join(cache, "executable-types.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		q := &executable.Types{Trusted: trustAll, CacheDir: cache}
		if typ, err := q.Query(t.Context(), file); typ != "turn_end" || err != nil {
			t.Errorf("%s: %q, %v", name, typ, err)
		}
		after, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if name == "newer" {
			if string(after) != content || q.CacheError() == nil {
				t.Errorf("a newer file was replaced: %s, %v", after, q.CacheError())
			}
		} else if !strings.Contains(string(after), "turn_end") || q.CacheError() != nil {
			t.Errorf("%s: %s, %v", name, after, q.CacheError())
		}
	}
	unwritable := &executable.Types{Trusted: trustAll, CacheDir: file} // a file, not a directory
	if typ, err := unwritable.Query(t.Context(), file); typ != "turn_end" || err != nil || unwritable.CacheError() == nil {
		t.Errorf("%q, %v, cache %v", typ, err, unwritable.CacheError())
	}
}

func TestCacheForgetsWhatIsGone(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	a, b := program(t, dir, "a", "echo turn_end", ""), program(t, dir, "b", "echo turn_end", "")
	first := &executable.Types{Trusted: trustAll, CacheDir: cache}
	first.QueryAll(t.Context(), programs(a))
	if err := os.Remove(a); err != nil {
		t.Fatal(err)
	}
	(&executable.Types{Trusted: trustAll, CacheDir: cache}).QueryAll(t.Context(), programs(b))
	data, err := os.ReadFile(filepath.Join(cache, "executable-types.json"))
	if err != nil || strings.Contains(string(data), a) || !strings.Contains(string(data), b) {
		t.Errorf("%s, %v", data, err)
	}
}

func TestWritersOfOneCache(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	var wg sync.WaitGroup
	for i := range 8 {
		file := program(t, dir, fmt.Sprintf("p%d", i), "echo turn_end", "")
		wg.Go(func() {
			q := &executable.Types{Trusted: trustAll, CacheDir: cache}
			if typ, err := q.Query(t.Context(), file); typ != "turn_end" || err != nil {
				t.Errorf("%q, %v", typ, err)
			}
			if err := q.CacheError(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := (&executable.Types{CacheDir: cache}).CacheError(); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(cache)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestQueriesAreBoundedAndInOrder(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i := range 6 {
		// Each makes a file while it runs and prints how many there are.
		body := `: > "$0.busy"; sleep 0.1; ls "${0%/*}" | grep -c busy >> "${0%/*}/seen"; rm "$0.busy"; echo turn_end`
		paths = append(paths, program(t, dir, fmt.Sprintf("p%d", i), body, ""))
	}
	q := &executable.Types{Trusted: trustAll}
	for i, a := range q.QueryAll(t.Context(), programs(paths[:3]...)) {
		if a.Path != paths[i] || a.Type != "turn_end" {
			t.Errorf("%d: %+v", i, a)
		}
	}
	var wg sync.WaitGroup
	for _, path := range paths {
		wg.Go(func() {
			if typ, err := q.Query(t.Context(), path); typ != "turn_end" || err != nil {
				t.Errorf("%q, %v", typ, err)
			}
		})
	}
	wg.Wait()
	seen, err := os.ReadFile(filepath.Join(dir, "seen"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(seen), "\n"); n < len(paths) {
		t.Errorf("%d programs left a mark: %q", n, seen)
	}
	for n := range strings.FieldsSeq(string(seen)) {
		if n != "1" && n != "2" {
			t.Errorf("%s programs ran at once", n)
		}
	}
}

func programs(paths ...string) []executable.Program {
	out := make([]executable.Program, len(paths))
	for i, path := range paths {
		out[i].Path = path
	}
	return out
}

// TestCopyIsAskedInItsPlace has a program whose copy says something else: what is
// started, looked at and shown to be trusted is the copy, and its name is the program's.
func TestCopyIsAskedInItsPlace(t *testing.T) {
	dir := t.TempDir()
	file := program(t, dir, "guard", "echo turn_end", "")
	copied := program(t, t.TempDir(), "guard", "echo agent_stop", "")
	q := &executable.Types{Trusted: func(path, _ string) bool { return path == file }, Known: known}
	if got := q.QueryAll(t.Context(), []executable.Program{{Path: file, Copy: copied}})[0]; got.Type != "agent_stop" || got.Path != file || got.Err != nil {
		t.Errorf("%+v", got)
	}
	if n := starts(t, file); n != 0 {
		t.Errorf("the program itself was started %d times", n)
	}
	broken := program(t, t.TempDir(), "guard", "echo \"$0 is at fault\" >&2; exit 1", "")
	got := q.QueryAll(t.Context(), []executable.Program{{Path: file, Copy: broken}})[0]
	if got.Err == nil || !strings.Contains(got.Err.Error(), file+" is at fault") || strings.Contains(got.Err.Error(), broken) {
		t.Errorf("%v", got.Err)
	}
}

// Each program is asked with its own environment, and those without one with the common.
func TestEnvironmentOfTheQuestion(t *testing.T) {
	dir := t.TempDir()
	q := &executable.Types{Trusted: trustAll, Known: known, Base: []string{"TYPE=agent_stop", "PATH=" + os.Getenv("PATH")}}
	var asked []executable.Program
	for _, env := range [][]string{{"TYPE=turn_end"}, nil, {"TYPE=before_tool_call"}} {
		name := "guard" + strconv.Itoa(len(asked))
		asked = append(asked, executable.Program{Path: program(t, dir, name, `[ "$HOOKLINE" = 1 ] && echo "$TYPE"`, ""), Env: env})
	}
	got := q.QueryAll(t.Context(), asked)
	for i, want := range []string{"turn_end", "agent_stop", "before_tool_call"} {
		if got[i].Type != want || got[i].Err != nil {
			t.Errorf("%d: %+v, want %s", i, got[i], want)
		}
	}
}

func TestCancelledQueries(t *testing.T) {
	file := program(t, t.TempDir(), "slow", "sleep 60", "")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	for _, a := range (&executable.Types{Trusted: trustAll}).QueryAll(ctx, programs(file, file, file, file)) {
		if !errors.Is(a.Err, context.Canceled) {
			t.Errorf("%v", a.Err)
		}
	}
}

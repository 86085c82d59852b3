//go:build unix

package bridge_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/internal/hookclient"
)

// echo answers on a socket whatever is sent.
func echo(b *testing.B) (path string) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "echo")
	l, err := net.Listen("unix", path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()
	return path
}

// BenchmarkClient takes turns between the program that a host starts, a server with a Go
// guard being there, and a bare one that sends its input to a socket and back, and between
// that program without a server and 'hookline fire' of the same event, with a guard of sh.
// It reports the medians and their ratios.
func BenchmarkClient(b *testing.B) {
	bin := b.TempDir()
	build := exec.Command("go", "build", "-o", bin, "./testdata/bare", "../cmd/hookline", "../cmd/hookline-hook")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	var loads atomic.Int32
	r := newRoom(b, guard)
	r.serve(b, roomsOf(r, &loads, guard))
	other := b.TempDir() // the server has the Go guard alone
	write(b, filepath.Join(other, ".config", "hookline", "settings.json"),
		`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","name":"guard","command":"read x; exit 0"}]}]}}`)
	b.Setenv("HOME", r.home)
	path := func(name string) string { return filepath.Join(bin, name) }
	alone := append(os.Environ(), hookclient.NoServer+"=1", "HOME="+other)
	kinds := []struct {
		args []string
		env  []string
	}{
		{[]string{path("bare"), echo(b)}, nil},
		{[]string{path("hookline-hook"), "claude", "PreToolUse"}, nil},
		{[]string{path("hookline"), "fire", "PreToolUse", "--tool", "Bash", "--input", `{"command":"ls"}`}, alone},
		{[]string{path("hookline-hook"), "claude", "PreToolUse"}, alone},
	}
	spent := make([][]time.Duration, len(kinds))
	for n := 0; b.Loop(); n++ {
		payload := []byte(strings.ReplaceAll(r.bash("ls"), "toolu_1", fmt.Sprint("toolu_", n)))
		for i := range kinds {
			cmd := exec.Command(kinds[i].args[0], kinds[i].args[1:]...)
			cmd.Dir, cmd.Env, cmd.Stdin = r.dir, kinds[i].env, bytes.NewReader(payload)
			began := time.Now()
			out, err := cmd.CombinedOutput()
			spent[i] = append(spent[i], time.Since(began))
			if err != nil {
				b.Fatalf("%q: %v: %s", kinds[i].args, err, out)
			}
		}
	}
	var medians [4]float64
	for i := range spent {
		slices.Sort(spent[i])
		medians[i] = spent[i][len(spent[i])/2].Seconds() * 1e3
	}
	for i, name := range []string{"bare-ms", "client-ms", "fire-ms", "alone-ms"} {
		b.ReportMetric(medians[i], name)
	}
	b.ReportMetric(medians[1]/medians[0], "client/bare")
	b.ReportMetric(medians[3]/medians[2], "alone/fire")
}

// Package hookclient is the program that agents of other makers start for every event, and
// its side of the wire to the engine that stays. It imports the standard library only, and
// what does the same, since its start is what every tool call waits for.
//
// Without an engine, or when that dies on the way, the event is answered by a process of
// its own ('hookline bridge run'), with the same answer; the client never answers itself.
package hookclient

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/hookline-dev/hookline/internal/owndirs"
)

// NoServer is the variable that keeps the client from asking, and starting, an engine that
// stays.
const NoServer = "HOOKLINE_NO_SERVER"

const (
	// Beat is how often an engine says that it is alive, and silence how long one may say
	// nothing before the client asks without it.
	Beat    = time.Second
	silence = 10 * Beat
)

// refused is the exit code by which hosts know a refusal.
const refused = 2

// Main answers one event: args are the host and the event. It returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) != 2 {
		fmt.Fprintln(stderr, "hookline-hook HOST EVENT is for agents to start; see 'hookline bridge'")
		return refused
	}
	payload, err := io.ReadAll(io.LimitReader(stdin, maxText+1))
	if err != nil || len(payload) > maxText {
		payload = nil // which is not a payload, and refused as such
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	if os.Getenv(NoServer) == "" {
		a, err := ask(&Request{Host: args[0], Event: args[1], Dir: dir, Payload: payload, Environ: os.Environ()})
		if err == nil && !a.Again {
			_, _ = stderr.Write(a.Stderr)
			if _, err := stdout.Write(a.Stdout); err != nil {
				return refused
			}
			return int(a.Code)
		}
		if err != nil && !errors.Is(err, fs.ErrPermission) { // which is how it is within a sandbox
			start()
		}
	}
	return alone(args, payload, stdout, stderr)
}

// ask asks the engine that stays.
func ask(q *Request) (*Answer, error) {
	place, err := Place(os.Getenv)
	if err != nil {
		return nil, err
	}
	if err := Private(place); err != nil {
		return nil, err
	}
	if q.Key, err = os.ReadFile(Key(place)); err != nil {
		return nil, err
	}
	conn, err := net.DialTimeout("unix", Socket(place), silence)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	heard := func() { _ = conn.SetDeadline(time.Now().Add(silence)) } // one that fails ends the next read
	heard()
	if err := q.Write(conn); err != nil {
		return nil, err
	}
	return readAnswer(bufio.NewReader(conn), heard)
}

// engine is the program beside this one.
func engine() string {
	self, err := os.Executable()
	if err != nil {
		return "hookline"
	}
	name := "hookline"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(filepath.Dir(self), name)
}

// start starts an engine that stays, for the events that follow. Of several, one stays.
func start() {
	cmd := exec.Command(engine(), "serve")
	cmd.Dir = filepath.Dir(engine())
	detach(cmd)
	if cmd.Start() == nil {
		_ = cmd.Process.Release()
	}
}

// alone answers by a process of its own.
func alone(args []string, payload []byte, stdout, stderr io.Writer) int {
	cmd := exec.Command(engine(), "bridge", "run", args[0], args[1])
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(payload), stdout, stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return exit.ExitCode()
	}
	fmt.Fprintln(stderr, "Hookline could not ask the hooks:", err)
	return refused
}

// Place is the directory in which the engine of a person listens, and keeps the key that its
// clients show. It is part of the state: nothing within a sandbox of Hookline reads or
// changes it.
func Place(getenv func(string) string) (string, error) {
	state := owndirs.Find(getenv).State
	if state == "" {
		return "", errors.New("there is no directory for the socket: no home directory is known")
	}
	return filepath.Join(state, "serve"), nil
}

// Socket is what the engine of a place listens on.
func Socket(place string) string { return filepath.Join(place, "socket") }

// Key is the file of a place that has the key of its engine.
func Key(place string) string { return filepath.Join(place, "key") }

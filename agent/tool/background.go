package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookline-dev/hookline/handler/process"
)

const (
	maxBackground = 32 // commands of a set that run in the background

	// backgroundKeep is how much of each stream can be read in all, and
	// unreadKeep how much of it waits to be read, in bytes.
	backgroundKeep = 16 << 20
	unreadKeep     = 1 << 20
)

const bashOutputSchema = `{"type":"object","properties":{
"bash_id":{"type":"string","description":"The id that Bash returned."},
"filter":{"type":"string","description":"Show only lines that match this regular expression; the others are gone."}
},"required":["bash_id"],"additionalProperties":false}`

const killShellSchema = `{"type":"object","properties":{
"shell_id":{"type":"string","description":"The id that Bash returned."}
},"required":["shell_id"],"additionalProperties":false}`

type bashOutputInput struct {
	ID     string `json:"bash_id"`
	Filter string `json:"filter"`
}

type killShellInput struct {
	ID string `json:"shell_id"`
}

type shellResponse struct {
	ShellID  string `json:"shellId"`
	Command  string `json:"command"`
	Status   string `json:"status"` // running, completed, failed or killed
	ExitCode *int   `json:"exitCode"`
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
}

// background is a command that runs on its own.
type background struct {
	id, command string
	dir         string // where it was started
	proc        *process.Process

	over chan struct{} // closed when note is set
	note string        // what the sandbox had to say at the end

	mu      sync.Mutex
	killed  bool
	told    bool               // the model knows that it has ended
	unread  [2]strings.Builder // standard output and standard error
	dropped int                // bytes of it that were too much
}

// output takes over a chunk, up to a limit of what nobody has read.
func (b *background) output(stream process.Stream, data []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := &b.unread[0]
	if stream != process.Stdout {
		w = &b.unread[1]
	}
	room := max(unreadKeep-w.Len(), 0)
	b.dropped += max(len(data)-room, 0)
	w.Write(data[:min(room, len(data))])
}

// take returns what nobody has read yet.
func (b *background) take() (stdout, stderr string, dropped int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	stdout, stderr, dropped = b.unread[0].String(), b.unread[1].String(), b.dropped
	b.unread[0].Reset()
	b.unread[1].Reset()
	b.dropped = 0
	return stdout, stderr, dropped
}

// Ended returns what the model is to be told of background commands that have ended since
// it last heard of them: a text for each, once.
func (s *Set) Ended() []string {
	s.mu.Lock()
	shells := slices.SortedFunc(maps.Values(s.shells), func(a, b *background) int { return cmp.Or(len(a.id)-len(b.id), strings.Compare(a.id, b.id)) })
	s.mu.Unlock()
	var out []string
	for _, b := range shells {
		status, code := b.status()
		if status == "running" || !b.tell() {
			continue
		}
		text := fmt.Sprintf("The background command %s (%s) is %s", b.id, clip(b.command, 200), status)
		if code != nil {
			text += fmt.Sprintf(" with exit code %d", *code)
		}
		out = append(out, text+". BashOutput returns what it wrote.")
	}
	return out
}

// tell notes that the model is told of the command's end, and reports whether that is news.
func (b *background) tell() (news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	news = !b.told
	b.told = true
	return news
}

func (b *background) status() (status string, code *int) {
	select {
	case <-b.proc.Done():
	default:
		return "running", nil
	}
	exit := b.proc.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.killed && exit.Ended():
		return "killed", nil
	case exit.Success():
		return "completed", &exit.Code
	}
	return "failed", &exit.Code
}

func (s *Set) startBackground(cmd shellCommand, in bashInput) (Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	running := 0
	for _, b := range s.shells {
		if status, _ := b.status(); status == "running" {
			running++
		}
	}
	if running >= maxBackground || s.closed {
		cmd.cleanup()
		return Result{}, errors.Join(fmt.Errorf("%d commands run in the background already; end one with KillShell", running), cmd.box.end(nil))
	}
	s.shellID++
	b := &background{id: fmt.Sprintf("bash_%d", s.shellID), command: in.Command, dir: cmd.spec.Dir, over: make(chan struct{})}
	cmd.spec.OnOutput = b.output
	cmd.spec.StdoutLimit, cmd.spec.StderrLimit = backgroundKeep, backgroundKeep
	proc, err := process.Start(s.ctx, cmd.spec)
	if err != nil {
		cmd.cleanup()
		return Result{}, errors.Join(fmt.Errorf("starting the shell: %w", err), cmd.box.end(nil))
	}
	s.wg.Go(func() {
		exit := proc.Wait()
		b.note = cmd.box.note(exit)
		close(b.over)
		cmd.cleanup()
	})
	b.proc = proc
	s.shells[b.id] = b
	text := fmt.Sprintf("Runs in the background as %s. Read its output with BashOutput.", b.id)
	return result(text, bashResponse{BackgroundTaskID: b.id})
}

func (s *Set) shellByID(id string) (*background, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.shells[id]; b != nil {
		return b, nil
	}
	return nil, fmt.Errorf("there is no background command %q", id)
}

func (s *Set) bashOutput() Tool {
	return defineReader("BashOutput", "Returns what a background command has written since it was last asked, and whether it still runs.",
		bashOutputSchema, s.runBashOutput)
}

func (s *Set) runBashOutput(_ context.Context, in bashOutputInput, _ Input) (Result, error) {
	b, err := s.shellByID(in.ID)
	if err != nil {
		return Result{}, err
	}
	var filter *regexp.Regexp
	if in.Filter != "" {
		if filter, err = regexp.Compile(in.Filter); err != nil {
			return Result{}, fmt.Errorf("the filter is not a regular expression: %w", err)
		}
	}
	status, code := b.status() // before the output, so that none is missed after the end
	stdout, stderr, dropped := b.take()
	stdout, stderr = keepLines(decode([]byte(stdout)), filter), keepLines(decode([]byte(stderr)), filter)
	text := fmt.Sprintf("%s is %s", b.id, status)
	if code != nil {
		text += fmt.Sprintf(" with exit code %d", *code)
	}
	out := joinLines(strings.TrimRight(stdout, "\n"), strings.TrimRight(stderr, "\n"))
	if dropped > 0 {
		out = joinLines(out, fmt.Sprintf("(%d more bytes were dropped)", dropped))
	}
	if status != "running" && (b.proc.Wait().StdoutTruncated || b.proc.Wait().StderrTruncated) {
		out = joinLines(out, fmt.Sprintf("(only the first %d MiB of each stream could be read)", backgroundKeep>>20))
	}
	if status != "running" {
		b.tell()
		<-b.over
		out = joinLines(out, b.note)
	}
	if out == "" {
		out = "(no new output)"
	}
	short, _, err := s.shorten(b.id, out)
	if err != nil {
		return Result{}, err
	}
	return result(text+"\n"+short, shellResponse{
		ShellID: b.id, Command: b.command, Status: status, ExitCode: code,
		Stdout: clip(stdout, maxOutput), Stderr: clip(stderr, maxOutput),
	})
}

func keepLines(text string, filter *regexp.Regexp) string {
	if filter == nil {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if filter.MatchString(strings.TrimRight(line, "\r\n")) {
			b.WriteString(line)
		}
	}
	return b.String()
}

func (s *Set) killShell() Tool {
	return define("KillShell", "Ends a background command and what it has started.", killShellSchema, s.runKillShell)
}

func (s *Set) runKillShell(ctx context.Context, in killShellInput, _ Input) (Result, error) {
	b, err := s.shellByID(in.ID)
	if err != nil {
		return Result{}, err
	}
	if err := b.end(ctx); err != nil {
		return Result{}, err
	}
	b.tell()
	status, code := b.status()
	return result(fmt.Sprintf("%s is %s.", b.id, status), shellResponse{
		ShellID: b.id, Command: b.command, Status: status, ExitCode: code,
	})
}

// end kills the command if it still runs, and waits until it and what it started
// have ended.
func (b *background) end(ctx context.Context) error {
	if status, _ := b.status(); status == "running" {
		b.mu.Lock()
		b.killed = true
		b.mu.Unlock()
		b.proc.Kill(nil)
	}
	select {
	case <-b.proc.Done():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("ending %s: %w", b.id, context.Cause(ctx))
	}
}

package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/hookclient"
	"github.com/hookline-dev/hookline/internal/jsonx"
)

// Rehearsal plays the events of a host through the command lines that are installed for
// them, as the host would. What answers is a guard of its own in a home directory of its own:
// no hook of the person runs, save those that are set for the whole machine.
type Rehearsal struct {
	Installer *Installer
	Host      *dialect.Host
	// Dir is an empty directory, for the home directory and the project. The caller removes it.
	Dir string
	// Input is a plausible input of an event in a directory.
	Input func(ev hook.Event, dir string) (hook.Input, error)

	codec handler.Codec
	home  string
}

// Trial is what one answer to an event comes to.
type Trial struct {
	// Event is the host's name of it, and Part what the guard said.
	Event string
	Part  hook.Field
	// Heard is what of the answer the host acts on, and Reason what it is told as the reason.
	Heard  hook.Fields
	Reason string
	// Fault says why no answer came that the host can act on; nil when one did.
	Fault error
	// Lost says that the guard restricted what the host can refuse, and that it goes on.
	Lost bool
}

// project is the directory in which the events happen.
func (r *Rehearsal) project() string { return filepath.Join(r.Dir, "project") }

// Play plays each event that a file has a line for, and calls fn with each trial.
func (r *Rehearsal) Play(ctx context.Context, path string, fn func(Trial)) error {
	lines, err := r.lines(path)
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return fmt.Errorf("find what is installed: %s starts the bridge for no event that this version knows; 'hookline bridge install %s' mends that", path, r.Host.Name)
	}
	_, d := dialect.HostByName(r.Installer.Dialects, r.Host.Name)
	r.codec, r.home = d.Codec(), filepath.Join(r.Dir, "home")
	for _, dir := range []string{r.settings(), filepath.Join(r.project(), ".git")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make a place for the events: %w", err)
		}
	}
	for i := range r.Host.Events {
		e := &r.Host.Events[i]
		line, ok := lines[e.Name]
		if !ok {
			continue
		}
		in, payload, err := r.payload(d, e)
		if err != nil {
			return fmt.Errorf("make a payload for %s: %w", e.Name, err)
		}
		for _, said := range answersTo(in) {
			if !r.guard(ctx, in, said) {
				continue
			}
			t := r.try(ctx, e, line, in, payload)
			t.Part = said.Fields()
			t.Lost = e.CanRefuse() && t.Part&hook.FieldContext == 0 && t.Heard&(hook.FieldDeny|hook.FieldAsk|t.Part) == 0
			fn(t)
		}
	}
	return ctx.Err()
}

// lines are the command lines of a file that start the bridge, by the host's events.
func (r *Rehearsal) lines(path string) (map[string]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read what is installed: %w", err)
	}
	out := map[string]string{}
	if isModule(path) {
		words, events := moduleSays(data, "COMMAND"), moduleSays(data, "EVENTS")
		for i := range words {
			words[i] = quoted(words[i])
		}
		for _, event := range events {
			out[event] = strings.Join(append(slices.Clone(words), r.Host.Name, event), " ")
		}
		return out, nil
	}
	root, err := jsonx.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read what is installed, %s: %w", path, err)
	}
	commands(root, func(command string) {
		for i := range r.Host.Events {
			if name := r.Host.Events[i].Name; strings.HasSuffix(command, lineEnd(r.Host, name)) {
				out[name] = command
			}
		}
	})
	return out, nil
}

// payload is what the host sends for an event, and the input that it stands for.
func (r *Rehearsal) payload(d dialect.Hosted, e *dialect.HostEvent) (hook.Input, []byte, error) {
	in, err := r.Input(e.Event, r.project())
	if err != nil {
		return nil, nil, err
	}
	data, err := r.codec.EncodeInput(&hook.Call{Input: in})
	if err != nil {
		return nil, nil, err
	}
	// The host may have several names for one event: what is read of a payload that says
	// this one is written as such again.
	raw := hook.RawJSON(data)
	for _, key := range raw.Keys() {
		if name := raw.String(key); len(d.EventsOf(name)) > 0 && name != e.Name {
			if err := raw.Set(key, e.Name); err != nil {
				return nil, nil, err
			}
			named, _, err := d.Codec().DecodeInput([]byte(raw.Raw()))
			if err != nil {
				return nil, nil, err
			}
			in.Base().Meta = named.Base().Meta
			data, err = r.codec.EncodeInput(&hook.Call{Input: in})
			return in, data, err
		}
	}
	return in, data, nil
}

// answersTo are the answers that are tried on an event.
func answersTo(in hook.Input) []hook.Result {
	prompt, output := "what the rehearsal asks for instead", hook.JSON{}
	if post, ok := in.(*hook.PostToolUse); ok {
		output = post.ToolResponse // whose form a change has to keep
		_ = output.Set("stdout", "what the rehearsal shows instead")
	}
	all := []hook.Result{
		hook.Deny("the rehearsal refuses this"),
		hook.Ask("the rehearsal asks"),
		{UpdatedInput: hook.MustJSON(map[string]string{"command": "echo rehearsed"})},
		{UpdatedPrompt: &prompt},
		{UpdatedOutput: output},
		{Context: []string{"what the rehearsal adds"}},
	}
	return slices.DeleteFunc(all, func(r hook.Result) bool { return r.Fields() == 0 || r.Fields()&^in.Event().Spec().Honours != 0 })
}

func (r *Rehearsal) settings() string { return filepath.Join(r.home, ".config", "hookline") }

// guard makes a hook that answers an event; false where hooks of settings have no way to
// say it.
func (r *Rehearsal) guard(ctx context.Context, in hook.Input, said hook.Result) bool {
	reg := hook.NewRegistry()
	hook.OnEvent(reg, func(context.Context, hook.Input) (hook.Result, error) { return said, nil }, []hook.Event{in.Event()})
	engine := hook.New(reg)
	defer engine.Close()
	out, err := engine.Fire(ctx, in)
	if err != nil {
		return false
	}
	ans, notes, err := claude.NewCodec(claude.CodecOptions{}).EncodeOutcome(in, &out)
	if err != nil || len(notes) > 0 {
		return false
	}
	command := fmt.Sprintf("cat >/dev/null; printf %%s %s; printf %%s %s >&2; exit %d", quoted(string(ans.Stdout)), quoted(string(ans.Stderr)), ans.ExitCode)
	type one struct {
		Type      string `json:"type"`
		Name      string `json:"name"`
		Command   string `json:"command"`
		OnFailure string `json:"onFailure"`
	}
	type group struct {
		Hooks []one `json:"hooks"`
	}
	text, err := json.Marshal(map[string]any{"hooks": map[string][]group{in.Event().String(): {{[]one{{"command", "rehearsal", command, "block"}}}}}})
	return err == nil && os.WriteFile(filepath.Join(r.settings(), "settings.json"), text, 0o600) == nil
}

// try runs the line and reads the answer as the host does.
func (r *Rehearsal) try(ctx context.Context, e *dialect.HostEvent, line string, in hook.Input, payload []byte) Trial {
	t := Trial{Event: e.Name}
	ctx, cancel := context.WithTimeout(ctx, r.Host.Time(e))
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env = r.project(), r.environ()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(payload), &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fault = fmt.Errorf("run the line that is installed: %w", err)
		return t
	}
	heard, _, err := r.codec.DecodeResult(&hook.Call{Input: in}, handler.Answer{ExitCode: cmd.ProcessState.ExitCode(), Stdout: stdout.Bytes(), Stderr: stderr.Bytes()})
	if t.Fault = err; err == nil {
		t.Heard, t.Reason = heard.Fields()&e.For(in.Event()).Honours, heard.Reason
	}
	return t
}

// environ is the person's environment with another home, in which no variable leads back.
func (r *Rehearsal) environ() []string {
	moved := map[string]string{
		"HOME": r.home, "USERPROFILE": r.home, "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_DATA_HOME": "", "XDG_RUNTIME_DIR": "",
		hookclient.NoServer: "1",
	}
	for _, h := range dialect.Hosts(r.Installer.Dialects) {
		for i := range h.Files {
			moved[h.Files[i].Env] = ""
		}
	}
	out := slices.DeleteFunc(os.Environ(), func(one string) bool {
		name, _, _ := strings.Cut(one, "=")
		_, gone := moved[name]
		return gone
	})
	for name, value := range moved {
		if value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

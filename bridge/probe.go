package bridge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/internal/recording"
	"github.com/hookline-dev/hookline/internal/redact"
)

// probing is the file of a host whose lock says that somebody probes it.
func probing(state, host string) string { return filepath.Join(state, "bridge", "probing", host) }

// Probe is while the payloads of a host are recorded.
type Probe struct {
	// Dir is where they are.
	Dir string

	host    *dialect.Host
	dialect dialect.Hosted
	store   *recording.Store
	begun   time.Time
	end     func() error
}

// NewProbe has the payloads of a host recorded until the probe is closed, or this process
// ends.
func NewProbe(ctx context.Context, state string, h *dialect.Host, d dialect.Hosted) (*Probe, error) {
	path := probing(state, h.Name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("probe %s: %w", h.Title, err)
	}
	lock, err := fsx.Lock(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", h.Title, err)
	}
	store := recording.In(state)
	end := func() error { return errors.Join(os.Remove(path), lock.Unlock()) }
	return &Probe{store.Dir, h, d, store, time.Now(), end}, nil
}

// Close ends it.
func (p *Probe) Close() error { return p.end() }

// recordProbed records the payload of a call, and what hooks came to, while somebody probes
// its host.
func (c *call) recordProbed(ctx context.Context, session string) error {
	state := c.hooks.Dirs.State
	path := probing(state, c.Host)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	switch lock, err := fsx.TryShare(path); {
	case err == nil:
		return lock.Unlock() // of a probe that was killed
	case !errors.Is(err, fsx.ErrLocked):
		return fmt.Errorf("see whether %s is probed: %w", c.host.Title, err)
	}
	return recording.In(state).Add(ctx, redact.New(c.Environ), recording.Entry{
		Agent: c.Host, Event: c.Event, Session: session, Dir: c.Dir, Payload: slices.Clone(c.Payload), Decision: c.decision, Reason: c.reason,
	})
}

// Differences are the ways in which what was recorded is not as the host's table says, with
// the host's name of the event before each, and how many payloads there are of each event.
// An input of each event says what the table expects.
func (p *Probe) Differences(input func(hook.Event) (hook.Input, error)) (out []string, seen map[string]int, err error) {
	seen = map[string]int{}
	for entry, err := range p.store.Read(p.host.Name, "") {
		if err != nil {
			return out, seen, err
		}
		if entry.Time.Before(p.begun) {
			continue
		}
		seen[entry.Event]++
		found, err := p.differences(input, &entry)
		if err != nil {
			return out, seen, err
		}
		for _, f := range found {
			if f = entry.Event + ": " + f; !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	slices.Sort(out)
	return out, seen, nil
}

func (p *Probe) differences(input func(hook.Event) (hook.Input, error), entry *recording.Entry) (out []string, err error) {
	h, d := p.host, p.dialect
	if h.Event(entry.Event) == nil {
		return []string{"the table has no such event"}, nil
	}
	in, notes, err := Decode(d, entry.Event, entry.Payload)
	if err != nil {
		return []string{"it cannot be read: " + err.Error()}, nil
	}
	if !slices.Contains(d.EventsOf(entry.Event), in.Event()) {
		return []string{"it is read as " + in.Event().String()}, nil
	}
	out = notes
	canonical, err := hook.MarshalInput(in)
	if err != nil {
		return nil, fmt.Errorf("read an input of %v: %w", in.Event(), err)
	}
	if tool := hook.RawJSON(canonical).String("tool_name"); tool != "" && unknownTool(d, tool) {
		out = append(out, fmt.Sprintf("the table has no tool %q", tool))
	}
	sample, err := input(in.Event())
	if err != nil {
		return nil, fmt.Errorf("make an input of %v: %w", in.Event(), err)
	}
	sample.Base().Meta = in.Base().Meta // the same one of the host's names for the event
	want, err := d.Codec().EncodeInput(&hook.Call{Input: sample})
	if err != nil {
		return nil, fmt.Errorf("write an input of %v: %w", in.Event(), err)
	}
	expected, payload := hook.RawJSON(want), hook.RawJSON(entry.Payload)
	for _, key := range expected.Keys() {
		got, ok := payload.Get(key)
		e, _ := expected.Get(key)
		switch is, want := kind(got), kind(e); {
		case !ok:
			out = append(out, key+" is not sent")
		case is != want && is != "null" && key != "tool_response": // which each tool has its own of
			out = append(out, fmt.Sprintf("%s is %s, and %s in the table", key, is, want))
		}
	}
	return out, nil
}

// kind is a JSON value's type for people.
func kind(v hook.JSON) string {
	switch k := jsontext.Value(v.Raw()).Kind(); k {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "true or false"
	default:
		return k.String()
	}
}

// unknownTool reports whether a dialect that lists its tools has not this one.
func unknownTool(d dialect.Dialect, canonical string) bool {
	list := d.Tools()
	return len(list) > 0 && !strings.HasPrefix(canonical, "mcp__") && !slices.ContainsFunc(list, func(t vocab.Tool) bool { return t.Canonical == canonical })
}

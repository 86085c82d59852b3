package mcpproxy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/fsx"
)

// The kinds of a change.
const (
	changeNew     = "new"     // nothing is approved under its name
	changeChanged = "changed" // it is another than the approved one
)

// Change is how a tool differs from what was approved.
type Change struct {
	// Kind is new or changed.
	Kind string
	// Before is the tool as it was approved, absent of one that is new.
	Before, Now hook.JSON
}

// Memory knows what a server said of its tools when they were approved: what it said when
// it was first seen, and what a person approved since. Each server has a file; what starts
// or reaches it is only in the file's name, as a digest, since it may hold secrets.
type Memory struct {
	path, server string
	tell         func(text string)

	mu    sync.Mutex
	first bool            // the server was not known before
	told  map[string]bool // digests of changes that the person was told of
}

// remembered is the content of a server's file.
type remembered struct {
	Server   string               `json:"server"`
	Approved map[string]hook.JSON `json:"approved"` // in canonical form, by the tool's name
	Pending  map[string]hook.JSON `json:"pending"`  // as last seen, of those that are others now
}

// Remember returns the memory of a server in a directory. How it is started or reached tells
// it from others of its name. tell is told of tools that are not as they were approved.
func Remember(dir, server string, start []string, tell func(text string)) *Memory {
	key := sha256.Sum256([]byte(strings.Join(append([]string{server}, start...), "\x00")))
	return &Memory{path: filepath.Join(dir, hex.EncodeToString(key[:16])+".json"), server: server, tell: tell, told: map[string]bool{}}
}

// Look returns which tools are not as they were approved. All are approved of a server that
// is seen for the first time.
func (m *Memory) Look(ctx context.Context, tools []hook.JSON) (map[string]Change, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	changes := map[string]Change{}
	var digest string
	err := update(ctx, m.path, func(r *remembered) bool {
		m.first = m.first || r.Approved == nil
		if r.Approved == nil {
			r.Server, r.Approved = m.server, map[string]hook.JSON{}
		}
		wrote := false
		for _, tool := range tools {
			name, now := tool.String("name"), hook.RawJSON(jsonrpc.Canonical([]byte(tool.Raw())))
			before, known := r.Approved[name]
			pending, waits := r.Pending[name]
			switch {
			case known && before == now:
				delete(r.Pending, name)
				wrote = wrote || waits
			case !known && m.first:
				r.Approved[name], wrote = now, true
			default:
				changes[name] = changeOf(before, now)
				if wrote = wrote || pending != now; r.Pending == nil {
					r.Pending = map[string]hook.JSON{}
				}
				r.Pending[name] = now
			}
		}
		digest = r.digest()
		return wrote
	})
	if err == nil && len(changes) > 0 && !m.told[digest] {
		m.told[digest] = true
		m.tell(fmt.Sprintf("MCP server %s: %s since its tools were approved; 'hookline mcp approve' shows what it says of them now", m.server, describe(changes)))
	}
	return changes, err
}

func changeOf(before, now hook.JSON) Change {
	if before.IsZero() {
		return Change{Kind: changeNew, Now: now}
	}
	return Change{changeChanged, before, now}
}

// describe says which tools are others.
func describe(changes map[string]Change) string {
	of := map[string][]string{}
	for name, c := range changes {
		of[c.Kind] = append(of[c.Kind], name)
	}
	var parts []string
	for _, k := range []struct{ kind, text string }{{changeChanged, "has changed "}, {changeNew, "has added "}} {
		if names := of[k.kind]; len(names) > 0 {
			slices.Sort(names)
			parts = append(parts, k.text+strings.Join(names, ", "))
		}
	}
	return strings.Join(parts, " and ")
}

// digest tells what a person would approve.
func (r *remembered) digest() string {
	data, _ := json.Marshal(r.Pending, json.Deterministic(true))
	sum := sha256.Sum256(append([]byte(r.Server+"\x00"), data...))
	return hex.EncodeToString(sum[:8])
}

// Pending are the tools of a server that are not as they were approved.
type Pending struct {
	Server string
	// Digest is of all that would be approved.
	Digest  string
	Changes map[string]Change // by the tool's name
}

// Changed returns the servers that have tools which are not as they were approved.
func Changed(dir string) ([]Pending, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("list the MCP servers: %w", err)
	}
	var out []Pending
	for _, path := range paths {
		r, err := read(path)
		if err != nil {
			return nil, err
		}
		if p := r.pending(); len(p.Changes) > 0 {
			out = append(out, p)
		}
	}
	return out, nil
}

func (r *remembered) pending() Pending {
	p := Pending{Server: r.Server, Digest: r.digest(), Changes: map[string]Change{}}
	for name, now := range r.Pending {
		p.Changes[name] = changeOf(r.Approved[name], now)
	}
	return p
}

// Approve approves what a server says of its tools now, by the digest of that.
func Approve(ctx context.Context, dir, digest string) (Pending, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return Pending{}, fmt.Errorf("list the MCP servers: %w", err)
	}
	var done Pending
	for _, path := range paths {
		err := update(ctx, path, func(r *remembered) bool {
			if len(r.Pending) == 0 || r.digest() != digest {
				return false
			}
			done = r.pending()
			for name, now := range r.Pending {
				r.Approved[name] = now
			}
			r.Pending = nil
			return true
		})
		if err != nil {
			return Pending{}, err
		}
	}
	if done.Digest == "" {
		return Pending{}, errors.New("no server has tools of this digest to approve") // or they have changed again
	}
	return done, nil
}

// update changes a server's file, unless change reports that there is nothing to write.
func update(ctx context.Context, path string, change func(*remembered) bool) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("remember the tools of MCP servers: %w", err)
	}
	lock, err := fsx.Lock(ctx, filepath.Join(filepath.Dir(path), "lock"))
	if err != nil {
		return fmt.Errorf("remember the tools of MCP servers: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	r, err := read(path)
	if err != nil || !change(r) {
		return err
	}
	data, err := json.Marshal(r, json.Deterministic(true))
	if err == nil {
		err = fsx.WriteFile(path, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("remember the tools of MCP servers: %w", err)
	}
	return nil
}

// read reads a server's file; one that is not there is empty.
func read(path string) (*remembered, error) {
	r := &remembered{}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, r, json.RejectUnknownMembers(true))
	}
	if err != nil {
		return nil, fmt.Errorf("read what was approved of an MCP server's tools, in %s: %w", path, err)
	}
	if r.Approved == nil {
		return nil, fmt.Errorf("read what was approved of an MCP server's tools, in %s: it has no list of them", path)
	}
	return r, nil
}

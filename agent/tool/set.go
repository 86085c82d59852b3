package tool

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/hookline-dev/hookline/ui"
)

// Config says what a set of built-in tools works with.
type Config struct {
	// Dir is the working directory; "" is the process's.
	Dir string
	// AddDirs are further directories that file tools may use.
	AddDirs []string
	// Permit decides about a path outside of these directories: nil or an
	// error refuses it. path is the path as it was given, made absolute; real
	// is where it leads.
	Permit func(ctx context.Context, path, real string, write bool) error
	// Keep, when not nil, is told what a file holds before Write, Edit or Restore change it,
	// by its path with links resolved; there is false when there is no file. After an
	// error the file stays.
	Keep func(path string, content []byte, there bool) error
	// Hide, when not nil, names files that Grep leaves out: path is absolute, with its
	// links resolved. It is asked before each search for what to ask about files; nil
	// hides none.
	Hide func() func(path string) bool
	// OutputDir gets the full text of outputs that are too long for a model;
	// "" is a fresh directory that Close removes.
	OutputDir string
	// Shell is the program that Bash runs commands with, called as
	// SHELL -c COMMAND; "" is bash, or sh where there is none.
	Shell string
	// Env is the environment of commands; nil is the process's without
	// credentials.
	Env []string
	// EnvFiles, when not nil, names files that the shell of a command reads first, in
	// this order, as its "." does: what they export the command sees. It is asked
	// before each command. Files that are not there are passed over.
	EnvFiles func() []string
	// Sandbox, when not nil, holds what commands may write.
	Sandbox *Sandbox
	// UI is asked by AskUserQuestion; nil is nobody.
	UI ui.UI
	// Editor, when not nil, is where Read, Write and Edit find the files of these
	// directories, images and binaries aside.
	Editor Editor
	// HTTPClient is used by WebFetch; nil is one that refuses link-local
	// addresses.
	HTTPClient *http.Client
	// Summarize, when not nil, answers WebFetch's prompt about a page;
	// without it the page itself is returned.
	Summarize func(ctx context.Context, prompt, page string) (string, error)
	// OnTodos, when not nil, is called after the list of todos has changed.
	OnTodos func(todos []Todo)
}

// Set is the built-in tools over one working directory. It is safe for
// concurrent use.
type Set struct {
	cfg   Config
	tools []Tool

	ctx    context.Context // ends background commands
	cancel context.CancelFunc
	wg     sync.WaitGroup // what waits for background commands

	mu      sync.Mutex
	roots   []*root
	cwd     string
	seen    map[string]stamp // the files that were read or written, and how they were
	todos   []Todo
	shells  map[string]*background
	shellID int
	tempDir string // made by us, removed by Close
	outputs int
	closed  bool
}

// New returns a set of the built-in tools. Close it.
func New(cfg Config) (*Set, error) {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("working directory: %w", err)
	}
	cfg.Dir = dir
	if cfg.UI == nil {
		cfg.UI = ui.None{}
	}
	if cfg.HTTPClient == nil {
		cfg.HTTPClient = fetchClient()
	}
	s := &Set{cfg: cfg, seen: make(map[string]stamp), shells: make(map[string]*background)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	for _, d := range append([]string{dir}, cfg.AddDirs...) {
		if err := s.AddDir(d); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	s.cwd = s.roots[0].real
	s.tools = []Tool{
		s.bash(), s.bashOutput(), s.killShell(), s.read(), s.write(), s.edit(), s.glob(), s.grep(), s.ls(),
		s.webFetch(), s.todoWrite(), s.askUserQuestion(),
	}
	return s, nil
}

// Tools returns the tools in a fixed order.
func (s *Set) Tools() []Tool { return slices.Clone(s.tools) }

// Lookup returns the tool of that name, nil when there is none.
func (s *Set) Lookup(name string) Tool {
	for _, t := range s.tools {
		if t.Name() == name {
			return t
		}
	}
	return nil
}

// AddDir lets file tools use a further directory.
func (s *Set) AddDir(dir string) error {
	r, err := openRoot(dir)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roots = append(s.roots, r)
	return nil
}

// Dirs returns the directories that file tools may use, the working directory
// first, with links resolved.
func (s *Set) Dirs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	dirs := make([]string, len(s.roots))
	for i, r := range s.roots {
		dirs[i] = r.real
	}
	return dirs
}

// Cwd returns the directory that relative paths start from. A cd in a Bash
// command moves it.
func (s *Set) Cwd() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cwd
}

// Close ends background commands, waits for them, and removes what the set made
// for itself.
func (s *Set) Close() error {
	s.cancel()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	roots, temp := s.roots, s.tempDir
	s.mu.Unlock()
	s.wg.Wait()
	var errs []error
	for _, r := range roots {
		errs = append(errs, r.Close())
	}
	if temp != "" {
		errs = append(errs, os.RemoveAll(temp))
	}
	return errors.Join(errs...)
}

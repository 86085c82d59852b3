package host

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/audit"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/sandbox"
	"github.com/hookline-dev/hookline/ui"
)

// sandboxPolicy says what commands of the agent, its MCP servers and hooks may do, besides
// writing to the directories that they work in.
func (h *Host) sandboxPolicy() sandbox.Policy {
	d, log := h.Dirs, h.AuditPlaces()
	p := sandbox.Policy{
		Write: slices.Concat([]string{os.TempDir(), "/tmp", "/var/tmp"}, h.caches(), h.Config.Sandbox.Write),
		// Settings, approvals and the copies that run in place of approved files.
		NoWrite: present(d.Config, d.Cache, d.Managed, log.Path, log.Second),
		NoRead:  present(d.State), // the key of the audit log is there
		Read:    present(h.sessionDirs()...),
		NoTCP:   h.Config.Sandbox.NoTCP,
	}
	if d.Home != "" {
		for _, name := range h.protectedNames() {
			p.NoWrite = append(p.NoWrite, filepath.Join(d.Home, name))
		}
	}
	return p
}

// protectedNames are the names that steer the agent, its hooks, git or the shell.
func (h *Host) protectedNames() []string {
	return append(permission.ProtectedNames(), dialect.ProtectedNames(h.opts.Dialects)...)
}

// sessionDirs are the directories of the state that are not secrets of Hookline.
func (h *Host) sessionDirs() []string {
	return []string{h.Dirs.Sessions(), join(h.Dirs.State, "plugins"), join(h.Dirs.State, "extensions"), join(h.Dirs.State, "overflow")}
}

// caches are directories in which build tools keep what they can fetch or make again.
func (h *Host) caches() []string {
	home, env := h.Dirs.Home, h.opts.Getenv
	or := func(name, def string) string {
		if v := env(name); filepath.IsAbs(v) {
			return v
		}
		return def
	}
	cargo := or("CARGO_HOME", join(home, ".cargo"))
	return present(
		or("XDG_CACHE_HOME", join(home, ".cache")), join(home, "Library", "Caches"),
		env("GOCACHE"), env("GOMODCACHE"), join(or("GOPATH", join(home, "go")), "pkg"), env("npm_config_cache"), join(home, ".npm"), env("PIP_CACHE_DIR"),
		join(cargo, "registry"), join(cargo, "git"), join(cargo, ".package-cache"), join(cargo, ".package-cache-mutate"), join(cargo, ".global-cache"),
		join(home, ".gradle", "caches"), join(home, ".m2", "repository"), join(home, ".local", "share", "pnpm"),
	)
}

// present keeps the paths that are absolute.
func present(paths ...string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !filepath.IsAbs(p) })
}

// SandboxMode returns off, on or required.
func (h *Host) SandboxMode() string {
	switch {
	case h.opts.RequireSandbox:
		return "required"
	case h.Config.Sandbox.Mode == "":
		return "off"
	}
	return h.Config.Sandbox.Mode
}

// hookSandbox makes the sandbox of hooks and workers: that of commands, and the project.
// Where none is asked for, or there is none, it holds those only that run what no approval
// covers. Where one is required and there is none, hooks fail.
func (h *Host) hookSandbox() *dialect.Sandbox {
	if h.opts.HookSandbox != nil {
		return h.opts.HookSandbox
	}
	mode := h.SandboxMode()
	s := &dialect.Sandbox{Policy: h.sandboxPolicy(), Confined: mode == "off"}
	s.Policy.Write = append(s.Policy.Write, h.Dirs.Project, h.Dir)
	if mode == "on" {
		if offered := sandbox.Offered(); offered.Name == "" {
			h.notify(ui.Warning, "Hooks run without a sandbox: %s", strings.Join(offered.Lost, "; "))
			s.Confined = true
		}
	}
	return s
}

// openSandbox makes the sandbox of the agent's commands and servers, as far as it is
// asked for and there is one.
func (h *Agent) openSandbox() error {
	mode := h.SandboxMode()
	if mode == "off" {
		return nil
	}
	p := h.sandboxPolicy()
	box := &tool.Sandbox{
		Policy: p, Protected: h.readOnlyNames(), Except: dialect.WorkNames(h.Host.opts.Dialects), PutBackDir: filepath.Join(h.Dirs.State, "put-back"),
		OnChange: func(text string) {
			h.notify(ui.Warning, "%s", text)
			if h.Audit != nil {
				if err := h.Audit.Note(audit.Record{Reason: text}); err != nil {
					h.notify(ui.Warning, "the audit log: %v", err)
				}
			}
		},
	}
	if h.Config.Sandbox.Namespaces {
		err := sandbox.Namespaces()
		if err != nil && mode == "required" {
			return err
		}
		if box.Namespaces = err == nil; !box.Namespaces {
			h.notify(ui.Warning, "Commands run without namespaces: %v", err)
		}
	}
	servers := p
	servers.Write = append(slices.Clip(p.Write), h.Dir)
	wall, err := sandbox.New(box.Hold(servers, []string{h.Dir}))
	if errors.Is(err, sandbox.ErrNone) && mode != "required" {
		h.notify(ui.Warning, "Commands run without a sandbox: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	h.wall, h.sandbox = wall, box
	return nil
}

// aroundServers looks after the settings in the working directories while a server works
// on a call; nil without a sandbox.
func (h *Agent) aroundServers() func() (func() string, error) {
	if h.sandbox == nil {
		return nil
	}
	return func() (func() string, error) { return h.sandbox.Around(h.tools.Dirs()) }
}

// readOnlyNames are the names in a project that commands may not write. Of git's directory
// they are what runs programs; the rest is git's own work.
func (h *Agent) readOnlyNames() []string {
	names := slices.DeleteFunc(h.protectedNames(), func(n string) bool { return n == ".git" })
	return append(names, ".git/", ".git/hooks", ".git/config", ".git/config.worktree", ".git/commondir")
}

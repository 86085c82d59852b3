package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hookline-dev/hookline/internal/diag"
)

// FileName is the name of a configuration file in its directory.
const FileName = "config.json"

// maxSize bounds a configuration file.
const maxSize = 1 << 20

// File is the content of one configuration file. The zero value changes nothing.
type File struct {
	// Strict makes guards fail closed and accepts only clean answers.
	Strict *bool `json:"strict"`
	// ShortCircuit ends an event at the first deny.
	ShortCircuit *bool      `json:"shortCircuit"`
	Hooks        Hooks      `json:"hooks"`
	Claude       Claude     `json:"claude"`
	Command      Command    `json:"command"`
	Env          Env        `json:"env"`
	Modules      Modules    `json:"modules"`
	Audit        Audit      `json:"audit"`
	Permission   Permission `json:"permission"`
}

// Hooks chooses hooks.
type Hooks struct {
	// Disabled names hooks that do not run. A name in a project's file counts for
	// hooks of the project only, one in the user's file not for managed hooks.
	Disabled []string `json:"disabled"`
	// Off turns all hooks of the level and of those below it off.
	Off bool `json:"off"`
	// Prewarm says for hooks, by name or glob, how many processes wait ahead of
	// time.
	Prewarm map[string]int `json:"prewarm"`
	// OnFailure says for hooks, by name or glob, what their failure counts as: open,
	// closed or ask.
	OnFailure map[string]string `json:"onFailure"`
}

// Claude tunes the claude dialect.
type Claude struct {
	// SystemMessage says who sees a hook's systemMessage: both (the default),
	// person or model.
	SystemMessage string `json:"systemMessage"`
	// StopOnContinueTrue lets {"continue":true} on Stop keep the agent going.
	StopOnContinueTrue bool `json:"stopOnContinueTrue"`
}

// Command tunes shell hooks.
type Command struct {
	// Shell runs hooks that name none: sh (the default), bash, powershell or
	// builtin.
	Shell string `json:"shell"`
	// ShellPrefix is put before every shell command.
	ShellPrefix string `json:"shellPrefix"`
}

// Env tunes the environment of hooks.
type Env struct {
	// Allow names variables that hooks get although they look like credentials.
	Allow []string `json:"allow"`
}

// Modules tunes script modules.
type Modules struct {
	// Paths names modules and directories of modules to load besides those that are
	// found.
	Paths []string `json:"paths"`
	// Runtime is embedded (the default) or node.
	Runtime string `json:"runtime"`
}

// Audit tunes the audit log.
type Audit struct {
	// Level is off, records (the default) or full, which keeps inputs and outputs.
	Level string `json:"level"`
	// Path is the log's file; "" is the default place.
	Path string `json:"path"`
	// Required denies a call that could not be recorded.
	Required bool `json:"required"`
	// MaxMiB is the size at which the log is rotated.
	MaxMiB int `json:"maxMiB"`
}

// Permission tunes the agent's permissions.
type Permission struct {
	// Mode is the permission mode that a session starts in.
	Mode string `json:"mode"`
}

// Level is where a file was found.
type Level uint8

// The levels, strongest first.
const (
	Managed Level = iota
	User
	Project
)

var levelNames = [...]string{"managed", "user", "project"}

// String returns managed, user or project.
func (l Level) String() string { return levelNames[l] }

// Config is the configuration in force.
type Config struct {
	Strict       bool
	ShortCircuit bool
	Claude       Claude
	Command      Command
	EnvAllow     []string
	Prewarm      map[string]int
	OnFailure    map[string]string
	Audit        Audit
	Permission   Permission
	Runtime      string
	// Modules lists module paths by level; a relative one is relative to the
	// directory that Base gives.
	Modules [3][]string

	disabled [3][]string
	off      [3]bool
	// Files are the files that were read, by level, "" where there was none.
	Files [3]string
}

// Disabled reports whether a hook of a level is switched off, and says by what.
func (c *Config) Disabled(name string, level Level) (why string, ok bool) {
	for l := Managed; l <= level; l++ {
		if c.off[l] {
			return fmt.Sprintf("all hooks are off (hooks.off in %s)", c.Files[l]), true
		}
		if slices.Contains(c.disabled[l], name) {
			return fmt.Sprintf("disabled in %s", c.Files[l]), true
		}
	}
	return "", false
}

// Load reads the files of the three directories; a directory "" has no file. A
// file that cannot be read costs itself only, and the diagnostics say why; as it may have
// asked for strict mode, that is on then.
func Load(managedDir, userDir, projectDir string) (*Config, []diag.Diagnostic) {
	c := &Config{Prewarm: map[string]int{}, OnFailure: map[string]string{}}
	var all []diag.Diagnostic
	for level, dir := range []string{managedDir, userDir, projectDir} {
		if dir == "" {
			continue
		}
		path := filepath.Join(dir, FileName)
		f, diags, err := readFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			diags = append(diags, diag.Diagnostic{Path: path, Message: err.Error(), Remedy: "mend or remove the file"})
		}
		if f == nil {
			c.Strict = true
			diags = append(diags, diag.Diagnostic{Severity: diag.Warning, Path: path, Message: "strict mode is on until the file can be read"})
		}
		all = append(all, diags...)
		c.Files[level] = path
		if f != nil {
			all = append(all, c.apply(f, Level(level))...)
		}
	}
	return c, all
}

func readFile(path string) (*File, []diag.Diagnostic, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err != nil {
		return nil, nil, err
	}
	if len(data) > maxSize {
		return nil, nil, fmt.Errorf("the file is larger than %d bytes", maxSize)
	}
	f, diags := Parse(path, data)
	return f, diags, nil
}

// apply puts a file's settings into force, save for those that its level may not
// make.
func (c *Config) apply(f *File, level Level) []diag.Diagnostic {
	var diags []diag.Diagnostic
	refuse := func(key string) {
		diags = append(diags, diag.Diagnostic{
			Severity: diag.Warning, Path: c.Files[level], Pointer: "/" + key,
			Message: fmt.Sprintf("%s has no effect in a project's file: a project may not decide it", key),
			Remedy:  "set it in the user's or the managed file",
		})
	}
	c.disabled[level] = append(c.disabled[level], f.Hooks.Disabled...)
	c.off[level] = c.off[level] || f.Hooks.Off
	c.Modules[level] = append(c.Modules[level], f.Modules.Paths...)
	c.Strict = c.Strict || f.Strict != nil && *f.Strict
	c.ShortCircuit = c.ShortCircuit || f.ShortCircuit != nil && *f.ShortCircuit
	for name, policy := range f.Hooks.OnFailure {
		if word, alias := map[string]string{"continue": "open", "block": "closed"}[policy]; alias {
			policy = word
		}
		if level == Project && policy != "closed" {
			refuse("hooks/onFailure")
			continue
		}
		if _, set := c.OnFailure[name]; !set {
			c.OnFailure[name] = policy
		}
	}
	if level == Project {
		for key, set := range map[string]bool{
			"command": f.Command != Command{}, "env": len(f.Env.Allow) > 0, "audit": f.Audit != Audit{}, "permission": f.Permission != Permission{}, "hooks/prewarm": len(f.Hooks.Prewarm) > 0,
			"claude": f.Claude != Claude{}, "modules/runtime": f.Modules.Runtime != "",
		} {
			if set {
				refuse(key)
			}
		}
		slices.SortFunc(diags, func(a, b diag.Diagnostic) int { return slices.Compare([]byte(a.Pointer), []byte(b.Pointer)) })
		return diags
	}
	c.applyOwn(f)
	return diags
}

// applyOwn applies what only the managed and the user's file may say; what the
// managed file said stays.
func (c *Config) applyOwn(f *File) {
	first := func(dst *string, v string) {
		if *dst == "" {
			*dst = v
		}
	}
	first(&c.Claude.SystemMessage, f.Claude.SystemMessage)
	c.Claude.StopOnContinueTrue = c.Claude.StopOnContinueTrue || f.Claude.StopOnContinueTrue
	first(&c.Command.Shell, f.Command.Shell)
	first(&c.Command.ShellPrefix, f.Command.ShellPrefix)
	c.EnvAllow = append(c.EnvAllow, f.Env.Allow...)
	for name, n := range f.Hooks.Prewarm {
		if _, set := c.Prewarm[name]; !set {
			c.Prewarm[name] = n
		}
	}
	first(&c.Runtime, f.Modules.Runtime)
	first(&c.Audit.Level, f.Audit.Level)
	first(&c.Audit.Path, f.Audit.Path)
	c.Audit.Required = c.Audit.Required || f.Audit.Required
	if c.Audit.MaxMiB == 0 {
		c.Audit.MaxMiB = f.Audit.MaxMiB
	}
	first(&c.Permission.Mode, f.Permission.Mode)
}

package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/fsx"
)

// FileName is the name of a configuration file in its directory.
const FileName = "config.json"

// maxSize bounds a configuration file.
const maxSize = 1 << 20

// File is the content of one configuration file. The zero value changes nothing. The
// doc tags are what the reference and the JSON Schema say of a key.
type File struct {
	Schema       string     `json:"$schema" doc:"where the JSON Schema of the file is, for editors"`
	Strict       *bool      `json:"strict" doc:"guards fail closed, and only clean answers count"`
	ShortCircuit *bool      `json:"shortCircuit" doc:"the first deny ends an event"`
	Hooks        Hooks      `json:"hooks"`
	Claude       Claude     `json:"claude"`
	Command      Command    `json:"command"`
	Env          Env        `json:"env"`
	Modules      Modules    `json:"modules"`
	Audit        Audit      `json:"audit"`
	Permission   Permission `json:"permission"`
	Sandbox      Sandbox    `json:"sandbox"`
}

// Hooks chooses hooks. A name in a project's file counts for hooks of the project only,
// one in the user's file not for managed hooks.
type Hooks struct {
	Disabled    []string            `json:"disabled" doc:"names of hooks that do not run; a project's file may name what guards nothing, or was never approved"`
	DisabledIn  map[string][]string `json:"disabledIn" doc:"by the directory of a project, names of its hooks that do not run; not for a project's file"`
	Dialects    []string            `json:"dialects" doc:"dialects of other agents whose own hook files count here too, such as cursor"`
	Off         bool                `json:"off" doc:"all hooks of the level and of those below it are off"`
	Prewarm     map[string]int      `json:"prewarm" doc:"by name or glob, how many processes of a hook wait ahead of time"`
	OnFailure   map[string]string   `json:"onFailure" words:"open,closed,ask,continue,block" doc:"by name or glob, what the failure of a hook counts as: open, closed or ask (continue and block are other words for open and closed); a project's file may only close"`
	ProjectCode []string            `json:"projectCode" doc:"names or globs of hooks of yours that may find modules and programs in the project; the others are kept from it"`
}

// Claude tunes the claude dialect.
type Claude struct {
	SystemMessage      string `json:"systemMessage" words:"both,person,model" doc:"who sees a hook's systemMessage: person (the default), both or model"`
	StopOnContinueTrue bool   `json:"stopOnContinueTrue" doc:"{\"continue\": true} on Stop keeps the agent going"`
}

// Command tunes shell hooks.
type Command struct {
	Shell       string `json:"shell" words:"sh,bash,powershell,builtin" doc:"runs hooks that name no shell: sh (the default), bash, powershell or builtin"`
	ShellPrefix string `json:"shellPrefix" doc:"what is put before every shell command"`
}

// Env tunes the environment of hooks.
type Env struct {
	Allow []string `json:"allow" doc:"variables that hooks get although they look like credentials"`
}

// Modules tunes script modules.
type Modules struct {
	Paths   []string `json:"paths" doc:"modules and directories of modules to load besides those that are found"`
	Runtime string   `json:"runtime" words:"embedded,node" doc:"what runs modules: embedded (the default) or node"`
}

// Audit tunes the audit log.
type Audit struct {
	Level    string `json:"level" words:"off,records,full" doc:"off, records (the default) or full, which keeps inputs and outputs"`
	Path     string `json:"path" doc:"the log's file; left out, audit.jsonl in the state directory"`
	Head     string `json:"head" doc:"a file elsewhere that has the signed end of the log too, for 'log --verify' to compare"`
	Required bool   `json:"required" doc:"a call that could not be recorded is denied"`
	MaxMiB   int    `json:"maxMiB" doc:"the size at which the log is put aside and a new one begun, in MiB; 10 when left out"`
}

// Permission tunes the agent's permissions.
type Permission struct {
	Mode string `json:"mode" words:"default,acceptEdits,plan,dontAsk,bypassPermissions" doc:"the permission mode that a session starts in"`
}

// Sandbox tunes what the agent's shell commands and MCP servers, and hooks, may write.
type Sandbox struct {
	Mode       string   `json:"mode" words:"off,on,required" doc:"off (the default), on, or required, which starts no agent where there is no sandbox; a project's file may only tighten it"`
	Write      []string `json:"write" doc:"absolute paths of files and directories that may be written besides the project, temporary and cache directories"`
	NoTCP      bool     `json:"noTCP" doc:"no TCP connections either; with namespaces, no network for the agent's commands and servers"`
	Namespaces bool     `json:"namespaces" doc:"on Linux, read-only mounts over the settings in a project while the agent's commands and MCP servers run"`
}

// sandboxModes are the words of Sandbox.Mode, each stricter than the one before.
var sandboxModes = wordsOf[Sandbox]("Mode")

// wordsOf are the words that a field of a struct may hold.
func wordsOf[T any](field string) []string {
	f, _ := reflect.TypeFor[T]().FieldByName(field)
	return strings.Split(f.Tag.Get("words"), ",")
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
	Sandbox      Sandbox
	Runtime      string
	// Modules lists module paths by level; a relative one is relative to the
	// directory that Base gives.
	Modules [3][]string

	// Dialects are the dialects of other agents that are asked for.
	Dialects []string

	disabled   [3][]string
	disabledIn [3]map[string][]string
	// projectCode are the hooks that may find code in the project.
	projectCode [3][]string
	off         [3]bool
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

// DisabledIn reports whether the person or the administrator switched a hook of a project
// off, which lies in a directory, and says by what.
func (c *Config) DisabledIn(project, name string) (why string, ok bool) {
	for l := Managed; l <= User; l++ {
		for dir, names := range c.disabledIn[l] {
			if slices.Contains(names, name) && fsx.Resolve(dir) == fsx.Resolve(project) {
				return fmt.Sprintf("disabled in %s", c.Files[l]), true
			}
		}
	}
	return "", false
}

// Names reports whether what a configuration calls hooks by, a name or a glob, stands for
// a hook of a name.
func Names(pattern, name string) bool {
	ok, err := filepath.Match(pattern, name)
	return err == nil && ok || pattern == name
}

// ProjectCode reports whether a hook of a level may find code in the project by name. A
// project's file has no say.
func (c *Config) ProjectCode(name string, level Level) bool {
	for l := Managed; l <= min(level, User); l++ {
		for _, pattern := range c.projectCode[l] {
			if Names(pattern, name) {
				return true
			}
		}
	}
	return false
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
		return nil, nil, fsx.LinkFault(path, err)
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
	c.disabledIn[level] = f.Hooks.DisabledIn
	c.projectCode[level] = append(c.projectCode[level], f.Hooks.ProjectCode...)
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
	c.Sandbox.NoTCP = c.Sandbox.NoTCP || f.Sandbox.NoTCP
	c.Sandbox.Namespaces = c.Sandbox.Namespaces || f.Sandbox.Namespaces
	if level == Project {
		stricter := slices.Index(sandboxModes, f.Sandbox.Mode) > max(slices.Index(sandboxModes, c.Sandbox.Mode), 0)
		if stricter {
			c.Sandbox.Mode = f.Sandbox.Mode
		}
		for key, set := range map[string]bool{
			"command": f.Command != Command{}, "env": len(f.Env.Allow) > 0, "audit": f.Audit != Audit{}, "permission": f.Permission != Permission{}, "hooks/prewarm": len(f.Hooks.Prewarm) > 0,
			"hooks/projectCode": len(f.Hooks.ProjectCode) > 0, "hooks/dialects": len(f.Hooks.Dialects) > 0, "hooks/disabledIn": len(f.Hooks.DisabledIn) > 0,
			"claude": f.Claude != Claude{}, "modules/runtime": f.Modules.Runtime != "",
			"sandbox/mode": f.Sandbox.Mode != "" && !stricter && f.Sandbox.Mode != c.Sandbox.Mode, "sandbox/write": len(f.Sandbox.Write) > 0,
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
	c.Dialects = append(c.Dialects, f.Hooks.Dialects...)
	for name, n := range f.Hooks.Prewarm {
		if _, set := c.Prewarm[name]; !set {
			c.Prewarm[name] = n
		}
	}
	first(&c.Runtime, f.Modules.Runtime)
	first(&c.Audit.Level, f.Audit.Level)
	first(&c.Audit.Path, f.Audit.Path)
	first(&c.Audit.Head, f.Audit.Head)
	c.Audit.Required = c.Audit.Required || f.Audit.Required
	if c.Audit.MaxMiB == 0 {
		c.Audit.MaxMiB = f.Audit.MaxMiB
	}
	first(&c.Permission.Mode, f.Permission.Mode)
	first(&c.Sandbox.Mode, f.Sandbox.Mode)
	c.Sandbox.Write = append(c.Sandbox.Write, f.Sandbox.Write...)
}

package host

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/internal/jsonx"
	"github.com/hookline-dev/hookline/trust"
	"github.com/hookline-dev/hookline/ui"
)

// settingsEnv puts the variables that settings files list into the environment of hooks
// and of shell commands. Those of a project's own files have to be approved, and what
// cannot be set is told.
func (h *Host) settingsEnv() {
	files := claude.SettingsFiles(h.Dirs)
	slices.SortStableFunc(files, func(a, b claude.SettingsFile) int { return cmp.Compare(envRank(a), envRank(b)) })
	var vars []string
	for _, f := range files {
		more, err := envOf(f)
		if err != nil {
			h.notify(ui.Warning, "%v", err)
		}
		if len(more) > 0 && f.OfProject() && !h.Gate.Check(envArtifact(h.Dirs.Project, f.Path, more)).Allowed {
			h.notify(ui.Info, "The environment variables of %s are not approved and are not set; 'hookline trust' shows them.", f.Path)
			continue
		}
		vars = append(vars, more...)
	}
	if len(vars) == 0 {
		return
	}
	base := h.opts.Environ
	if base == nil {
		base = os.Environ()
	}
	h.opts.Environ = slices.Concat(base, vars) // of two with one name the last counts
}

// envRank orders files so that what counts more comes later: what was named for the run
// goes before the project's, and nothing before the administrator's.
func envRank(f claude.SettingsFile) int {
	switch f.Scope {
	case claude.ScopeManaged:
		return 2
	case claude.ScopeFlag:
		return 1
	}
	return 0
}

// envOf reads the variables of a settings file, by name. The error is about the others.
func envOf(f claude.SettingsFile) ([]string, error) {
	data, err := f.Read()
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the environment in %s: %w", f.Path, err)
	}
	root, err := jsonx.Parse(data)
	if err != nil || root.Kind != jsonx.Object {
		return nil, nil // hooks are lost with the file, and that is told
	}
	var doc struct {
		Env map[string]jsontext.Value `json:"env"`
	}
	if err := json.Unmarshal([]byte(root.JSON()), &doc); err != nil {
		return nil, fmt.Errorf("reading the environment in %s: %s", f.Path, jsonx.ErrorText(err))
	}
	var out []string
	for name, raw := range doc.Env {
		value := string(raw) // a number or a truth value is its text
		if raw.Kind() == '"' {
			err = errors.Join(err, json.Unmarshal(raw, &value))
		}
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) || strings.ContainsRune("{[n", rune(raw.Kind())) {
			err = errors.Join(err, fmt.Errorf("the environment in %s: %q is not a variable with a text", f.Path, name))
			continue
		}
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out, err
}

func envArtifact(root, path string, vars []string) trust.Artifact {
	return projectArtifact(root, "environment", path, "environment variables: "+strings.Join(vars, " "))
}

// stopCap is how often in a row hooks may keep the agent from stopping, by the variable
// that Claude Code reads: 0 there is no bound.
func (h *Host) stopCap() int {
	const name = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
	text := h.opts.Getenv(name)
	for _, v := range h.opts.Environ {
		if value, found := strings.CutPrefix(v, name+"="); found {
			text = value
		}
	}
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil || n < 0:
		h.notify(ui.Warning, "%s is %q, and wants a number.", name, text)
		return 0
	case n == 0:
		return math.MaxInt
	}
	return n
}

// shellEnv is the environment of shell commands, nil for that of this process.
func (h *Host) shellEnv() []string {
	if h.opts.Environ == nil {
		return nil
	}
	env, _ := process.Environ(h.opts.Environ, nil, process.EnvPolicy{})
	return env
}

package kodelet

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// asked is the model that both are told to ask.
const asked = "claude-haiku-4-5"

// Theirs is kodelet.
func Theirs(path string) oracle.Program {
	return oracle.Program{Name: "theirs", Command: func(r *oracle.Room, _ *oracle.Case, prompt string, again bool) (args, env []string, err error) {
		args = []string{path, "run", "--provider", "anthropic", "--model", asked, "--weak-model", asked, "--anthropic-api-access", "api-key", "--tool-mode", "full", "--result-only"}
		if again {
			args = append(args, "--follow")
		}
		return append(args, prompt), model(r), nil
	}}
}

// Ours is the command of this project.
func Ours(path string) oracle.Program {
	return oracle.Program{Name: "ours", Command: func(r *oracle.Room, c *oracle.Case, prompt string, again bool) (args, env []string, err error) {
		settings := map[string]any{"permissions": map[string]any{"allow": []string{"Bash", "Write", "Read"}}}
		if err := oracle.WriteJSON(filepath.Join(r.Home, ".claude", "settings.json"), settings); err != nil {
			return nil, nil, err
		}
		args = []string{path, "run", prompt, "--model", "anthropic/" + asked}
		if again {
			args = append(args, "--continue")
		}
		return args, model(r), nil
	}}
}

func model(r *oracle.Room) []string {
	return []string{"ANTHROPIC_BASE_URL=" + r.Model.URL, "ANTHROPIC_API_KEY=dummy"}
}

// tools are ours by kodelet's names, with the names of their members.
var tools = map[string]struct {
	name    string
	members map[string]string
}{
	"bash":       {"Bash", nil},
	"file_write": {"Write", map[string]string{"text": "content"}},
	"file_read":  {"Read", nil},
}

// inOurs is a case whose model calls our tools.
func inOurs(c oracle.Case) oracle.Case {
	c.Script.Turns = slices.Clone(c.Script.Turns)
	for i, t := range c.Script.Turns {
		t.Blocks = slices.Clone(t.Blocks)
		for j, b := range t.Blocks {
			tool, ok := tools[b.Tool]
			if !ok {
				continue
			}
			t.Blocks[j].Tool, t.Blocks[j].Input = tool.name, maps.Clone(b.Input)
			if seconds, ok := b.Input["timeout"].(int); ok {
				t.Blocks[j].Input["timeout"] = 1000 * seconds
			}
			for theirs, ours := range tool.members {
				t.Blocks[j].Input[ours] = b.Input[theirs]
				delete(t.Blocks[j].Input, theirs)
			}
		}
		c.Script.Turns[i] = t
	}
	return c
}

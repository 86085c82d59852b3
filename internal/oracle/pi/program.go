package pi

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// asked is the model that both are told to ask.
const asked = "claude-opus-4-8"

// price is what both are told that it costs.
var price = object{"input": 4, "output": 16, "cacheRead": 0.5, "cacheWrite": 8}

// Packages are the versions of pi that the declared differences are about: the newest,
// which rules where they differ, and the last one under its old name.
var Packages = []oracle.Package{
	{Name: "@earendil-works/pi-coding-agent", Version: "1.6.0", Program: "dist/bundle/cli.js"},
	{Name: "@mariozechner/pi-coding-agent", Version: "0.73.1", Program: "dist/cli.js"},
}

// OhMyPi is pi's sibling, and Bun is where what runs it comes from.
var OhMyPi = oracle.Package{Name: "@oh-my-pi/pi-coding-agent", Version: "17.3.5", Program: "src/cli.ts"}

// Bun is the interpreter of oh-my-pi.
func Bun() oracle.Package {
	return oracle.Package{Name: "@oven/bun-" + runtime.GOOS + "-" + oracle.NodeArch(), Version: "1.4.5", Program: "bin/bun"}
}

// Node is where the interpreter comes from that pi needs.
func Node() oracle.Package {
	system := map[string]string{"windows": "win"}[runtime.GOOS]
	if system == "" {
		system = runtime.GOOS
	}
	return oracle.Package{Name: "node-" + system + "-" + oracle.NodeArch(), Version: "22.23.5", Program: "bin/node"}
}

// Theirs is pi for a cell.
func Theirs(node, path string, c *Cell) oracle.Program {
	p := oracle.Program{Name: "theirs"}
	p.Command = func(r *oracle.Room, _ *oracle.Case, text string, _ bool) (args, env []string, err error) {
		if err := oracle.WriteJSON(filepath.Join(r.Home, ".pi", "agent", "models.json"), models(r)); err != nil {
			return nil, nil, err
		}
		// The modules that pi brings along are none of the cells'.
		settings := object{"compaction": object{"keepRecentTokens": 1}, "extensions": []string{"-builtin:mcp", "-builtin:llama.cpp"}}
		if err := oracle.WriteJSON(filepath.Join(r.Home, ".pi", "agent", "settings.json"), settings); err != nil {
			return nil, nil, err
		}
		args = []string{node, path, "--model", "anthropic/" + asked}
		for _, m := range c.paths(r, path) {
			args = append(args, "-e", m)
		}
		if c.steps == nil {
			args = append(args, "-p", "--mode", "json", text)
		} else {
			args = append(args, "--mode", "rpc")
		}
		return args, []string{"PI_OFFLINE=1", "PATH=" + filepath.Dir(node) + string(os.PathListSeparator) + os.Getenv("PATH")}, nil
	}
	if c.steps != nil {
		p.Talk = talk(c, theirSpeech{})
	}
	return p
}

// models is the file that leads pi and oh-my-pi to the room's model.
func models(r *oracle.Room) object {
	var list []object
	for _, id := range []string{asked, otherModel} {
		list = append(list, object{
			"id": id, "name": id, "reasoning": false, "input": []string{"text", "image"}, "contextWindow": 200000, "maxTokens": 8000,
			"cost": price,
		})
	}
	provider := object{"baseUrl": r.Model.URL, "api": "anthropic-messages", "apiKey": "dummy", "models": list}
	return object{"providers": object{"anthropic": provider}}
}

// TheirsOhMyPi is oh-my-pi for a cell without steps.
func TheirsOhMyPi(bun, path string, c *Cell) oracle.Program {
	p := oracle.Program{Name: "theirs"}
	p.Command = func(r *oracle.Room, _ *oracle.Case, text string, _ bool) (args, env []string, err error) {
		// What is JSON is YAML too.
		if err := oracle.WriteJSON(filepath.Join(r.Home, ".omp", "agent", "models.yml"), models(r)); err != nil {
			return nil, nil, err
		}
		args = []string{bun, path, "--model", "anthropic/" + asked}
		for _, m := range c.paths(r, path) {
			args = append(args, "-e", m)
		}
		return append(args, "-p", "--mode", "json", text), []string{"PI_OFFLINE=1", "PATH=" + filepath.Dir(bun) + string(os.PathListSeparator) + os.Getenv("PATH")}, nil
	}
	return p
}

// Ours is the command of this project for a cell. The path of pi is that of its examples.
func Ours(path, pi string, c *Cell) oracle.Program {
	p := oracle.Program{Name: "ours"}
	p.Command = func(r *oracle.Room, _ *oracle.Case, text string, _ bool) (args, env []string, err error) {
		args = []string{path, "run", text, "-o", "stream-json"}
		if c.steps != nil {
			args = []string{path, "rpc"}
		}
		windows := object{}
		for _, name := range []string{asked, otherModel} {
			windows["anthropic/"+name] = object{"window": 200000, "maxTokens": 8000, "price": price}
		}
		if err := oracle.WriteJSON(filepath.Join(r.Home, ".config", "hookline", "models.json"), object{"models": windows}); err != nil {
			return nil, nil, err
		}
		args = append(args, "--model", "anthropic/"+asked, "--permission-mode", "bypassPermissions", "--trust-project")
		for _, m := range c.paths(r, pi) {
			args = append(args, "--hook", m)
		}
		return args, []string{"ANTHROPIC_BASE_URL=" + r.Model.URL, "ANTHROPIC_API_KEY=dummy"}, nil
	}
	if c.steps != nil {
		p.Talk = talk(c, ourSpeech{})
	}
	return p
}

// otherModel is what is changed to.
const otherModel = "claude-sonnet-4-5"

// paths are those of a cell's modules in a room, an example first.
func (c *Cell) paths(r *oracle.Room, pi string) []string {
	var out []string
	if c.example != "" {
		out = append(out, filepath.Join(examples(pi), c.example))
	}
	_, names := c.moduleFiles()
	for _, name := range names {
		out = append(out, filepath.Join(r.Home, name))
	}
	return out
}

// examples is the directory of the example modules in the package that pi's path is in.
func examples(pi string) string {
	dir := filepath.Dir(pi)
	for filepath.Base(dir) != "dist" && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	return filepath.Join(filepath.Dir(dir), "examples", "extensions")
}

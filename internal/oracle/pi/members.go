package pi

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// Declarations are the members and the events that pi's own declarations give modules.
type Declarations struct {
	members, events []string
}

// faces are the interfaces that modules get, by the file below dist/core that declares
// them, and what they are called in a command's handler.
var faces = []struct{ file, name, is string }{
	{"extensions/types.d.ts", "interface ExtensionAPI", "pi"},
	{"extensions/types.d.ts", "interface ExtensionContext", "ctx"},
	{"extensions/types.d.ts", "interface ExtensionCommandContext", "ctx"},
	{"extensions/types.d.ts", "interface ExtensionUIContext", "ctx.ui"},
	{"model-registry.d.ts", "class ModelRegistry", "ctx.modelRegistry"},
}

var (
	memberLine = regexp.MustCompile(`(?m)^    (?:readonly )?(\w+)\??[(<:]`)
	eventName  = regexp.MustCompile(`(?m)^    on\(event: "(\w+)"`)
	picked     = regexp.MustCompile(`ReadonlySessionManager = Pick<SessionManager, ([^>]*)>`)
	unknownOn  = regexp.MustCompile(`no event of this host is called "(\w+)"`)
)

// Declared reads what the package in a directory declares.
func Declared(pkg string) (*Declarations, error) {
	d := &Declarations{}
	text := map[string]string{}
	read := func(file string) (string, error) {
		if s, ok := text[file]; ok {
			return s, nil
		}
		raw, err := os.ReadFile(filepath.Join(pkg, "dist", "core", filepath.FromSlash(file)))
		text[file] = string(raw)
		return string(raw), err
	}
	for _, face := range faces {
		s, err := read(face.file)
		if err != nil {
			return nil, err
		}
		_, body, ok := strings.Cut(s, face.name+" ")
		if !ok {
			return nil, fmt.Errorf("%s declares no %s", face.file, face.name)
		}
		body, _, _ = strings.Cut(body, "\n}")
		for _, m := range memberLine.FindAllStringSubmatch(body, -1) {
			if m[1] != "constructor" {
				d.members = append(d.members, face.is+"."+m[1])
			}
		}
		for _, m := range eventName.FindAllStringSubmatch(body, -1) {
			d.events = append(d.events, m[1])
		}
	}
	s, err := read("session-manager.d.ts")
	if err != nil {
		return nil, err
	}
	list := picked.FindStringSubmatch(s)
	if list == nil || len(d.events) == 0 {
		return nil, fmt.Errorf("the declarations in %s cannot be read: they are written in another way", pkg)
	}
	for name := range strings.SplitSeq(list[1], " | ") {
		d.members = append(d.members, "ctx.sessionManager."+strings.Trim(name, `"`))
	}
	slices.Sort(d.members)
	slices.Sort(d.events)
	d.members, d.events = slices.Compact(d.members), slices.Compact(d.events)
	return d, nil
}

// cell asks for all of them.
func (d *Declarations) cell() Cell {
	var body strings.Builder
	for _, name := range d.events {
		fmt.Fprintf(&body, "pi.on(%q as any, () => {});\n", name)
	}
	names, _ := json.Marshal(d.members) // texts can be encoded
	fmt.Fprintf(&body, `pi.registerCommand("go", { handler: async (args: string, ctx: any) => {
		for (const path of %s) {
			const parts = path.split("."), last = parts.pop()!;
			if (!(last in parts.slice(1).reduce((o: any, k: string) => o[k], parts[0] === "pi" ? pi : ctx))) say(path);
		}
		say("asked");
	} });`, names)
	return Cell{name: "members", modules: []string{body.String()}, steps: prompts("/go")}
}

// missing are those that a module did not get.
func (d *Declarations) missing(p *oracle.Play) ([]string, error) {
	log, err := lines(filepath.Join(p.Dir, "log.jsonl"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range log {
		var said []string
		_ = json.Unmarshal(l, &said) // what follows the name is null
		out = append(out, said[0])
	}
	if len(out) == 0 || out[len(out)-1] != "asked" {
		return nil, fmt.Errorf("the module was not asked; the program said:\n%s", p.Stderr)
	}
	out = out[:len(out)-1]
	for _, m := range unknownOn.FindAllStringSubmatch(p.Stdout+p.Stderr, -1) {
		out = append(out, "event "+m[1])
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

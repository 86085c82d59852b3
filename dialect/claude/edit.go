package claude

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"github.com/hookline-dev/hookline/hook"
)

// AddHook adds a command hook to the text of a settings file, which may be empty,
// and keeps everything else in it, comments included. A text whose hooks are not
// of the right shape is an error and no guess.
func AddHook(data []byte, ev hook.Event, name, command string) ([]byte, error) {
	fresh := len(data) == 0
	if fresh {
		data = []byte("{}\n")
	}
	root, err := hujson.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("the file is not valid JSON: %w", err)
	}
	group := fmt.Sprintf(`{"hooks":[{"type":%q,"name":%s,"command":%s}]}`, TypeCommand, hook.MustJSON(name).Raw(), hook.MustJSON(command).Raw())
	at := "/hooks/" + ev.String()
	for path, array := range map[string]bool{"/hooks": false, at: true} {
		if v := root.Find(path); v != nil && (v.Value.Kind() == '[') != array {
			return nil, fmt.Errorf("the file's %s has another shape", path[1:])
		}
	}
	var patch string
	switch {
	case root.Find("/hooks") == nil:
		patch = fmt.Sprintf(`[{"op":"add","path":"/hooks","value":{%q:[%s]}}]`, ev.String(), group)
	case root.Find(at) == nil:
		patch = fmt.Sprintf(`[{"op":"add","path":%q,"value":[%s]}]`, at, group)
	default:
		patch = fmt.Sprintf(`[{"op":"add","path":%q,"value":%s}]`, at+"/-", group)
	}
	if err := root.Patch([]byte(patch)); err != nil {
		return nil, fmt.Errorf("the file's hooks have another shape: %w", err)
	}
	if !fresh && !jsontext.Value(data).IsValid() { // it has comments, and keeps them
		root.Format()
		return root.Pack(), nil
	}
	out := jsontext.Value(root.Pack())
	if err := out.Indent(jsontext.WithIndent(indentOf(data))); err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

// indentOf is how a file indents its members, two blanks when it does not.
func indentOf(data []byte) string {
	_, rest, _ := bytes.Cut(data, []byte("\n"))
	indent := rest[:len(rest)-len(bytes.TrimLeft(rest, " \t"))]
	if len(indent) == 0 || len(indent) > 8 {
		return "  "
	}
	return string(indent)
}

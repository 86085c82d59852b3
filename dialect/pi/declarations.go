package pi

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

// declared is the package that the declarations are written for; the others refer to it.
const declared = "@oh-my-pi/pi-coding-agent/hooks"

// declarations returns TypeScript declarations of the module API, for editors: the
// packages that modules import types from, and every event of the table with its
// payload and what a handler may return. They are derived from the table: payloads
// from what the codec sends, answers from the keys that it reads.
func declarations() string {
	var b strings.Builder
	b.WriteString("// What hookline offers to modules. Written by 'hookline new'; changes are lost.\n\n")
	fmt.Fprintf(&b, "declare module %q {\n", declared)
	b.WriteString(strings.TrimPrefix(commonTypes, "\n"))
	var on []string
	for i := range eventTable().rows {
		row := &eventTable().rows[i]
		payload, ok := payloadType(row)
		if !ok {
			continue
		}
		answer := answerType(row)
		for _, name := range row.names {
			on = append(on, fmt.Sprintf("\t\ton(event: %q, handler: Handler<%s, %s>): () => void;", name, strings.Replace(payload, "type: string", fmt.Sprintf("type: %q", name), 1), answer))
		}
	}
	b.WriteString("\texport interface HookAPI {\n" + strings.Join(on, "\n") + "\n" + apiMembers + "\t}\n")
	b.WriteString("\texport type ExtensionAPI = HookAPI;\n\texport type ExtensionContext = HookContext;\n\texport type ExtensionCommandContext = HookCommandContext;\n")
	b.WriteString("\texport type HookFactory = (pi: HookAPI) => void | Promise<void>;\n\texport type ExtensionFactory = HookFactory;\n")
	b.WriteString(anyMembers(declared))
	b.WriteString("}\n\n")
	for _, name := range script.HostPackages() {
		switch _, pkg, _ := strings.Cut(name, "/"); {
		case name == declared:
		case strings.HasPrefix(pkg, "pi-coding-agent"):
			fmt.Fprintf(&b, "declare module %q {\n\texport * from %q;\n}\n", name, declared)
		default:
			fmt.Fprintf(&b, "declare module %q {\n%s}\n", name, anyMembers(name))
		}
	}
	return b.String()
}

// anyMembers declares what modules import from a package of the host and is any here: values,
// classes, and types.
func anyMembers(name string) string {
	var b strings.Builder
	_, pkg, _ := strings.Cut(name, "/")
	pkg, _, _ = strings.Cut(pkg, "/")
	types := strings.Fields(looseTypes[pkg])
	for _, e := range script.HostExports(name) {
		types = slices.DeleteFunc(types, func(t string) bool { return t == e.Name })
		switch {
		case e.Name == "defineTool": // it has a type of its own
		case e.Class:
			fmt.Fprintf(&b, "\texport class %s { constructor(...args: any[]); static [member: string]: any; [member: string]: any }\n", e.Name)
		default:
			fmt.Fprintf(&b, "\texport const %[1]s: any;\n\texport type %[1]s = any;\n", e.Name)
		}
	}
	for _, t := range types {
		fmt.Fprintf(&b, "\texport type %s<A = any, B = any> = any;\n", t)
	}
	return b.String()
}

// answerTypes are the types of what handlers may return.
var answerTypes = map[string]string{
	"block": "boolean", "reason": "string", "cancel": "boolean", "content": "Content[]", "details": "unknown", "isError": "boolean",
	"messages": "Message[]", "message": "CustomMessage", "compaction": "Compaction", "summary": "{ summary: string; details?: unknown }",
	"context": "string[]", "prompt": "string", "systemPrompt": "string", "text": "string", "images": "any[]", "handled": "boolean",
	"action": `"continue" | "transform" | "handled"`, "operations": "any", "result": "any", "customInstructions": "string",
	"replaceInstructions": "boolean", "label": "string", "skillPaths": "string[]", "promptPaths": "string[]", "themePaths": "string[]",
	"preserveData": "Record<string, unknown>", "skipConversationRestore": "boolean",
}

func answerType(row *event) string {
	switch {
	case len(row.keys) > 0:
	case row.result != nil: // the answer itself is what counts
		return "any"
	default:
		return "void"
	}
	keys := slices.Clone(row.keys)
	slices.Sort(keys)
	var parts []string
	for _, k := range keys {
		t, ok := answerTypes[k]
		if !ok {
			t = "unknown"
		}
		parts = append(parts, k+"?: "+t)
	}
	return "{ " + strings.Join(parts, "; ") + " }"
}

// payloadType is the type of an event's payload, read off an encoded sample.
func payloadType(row *event) (string, bool) {
	if len(row.canonical) == 0 || row.encode == nil {
		return "", false
	}
	c, ok := newCodec(row.name(), script.FamilyAuto, script.KindAuto)
	if !ok {
		return "", false
	}
	in := row.canonical[0].Spec().New()
	sample(reflect.ValueOf(in).Elem())
	b, err := c.Encode(in)
	if err != nil {
		return "", false
	}
	t := typeOf("", hook.RawJSON(b))
	if row.name() == "before_agent_start" {
		t = strings.TrimSuffix(t, " }") + "; systemPromptOptions: any }"
	}
	return t, true
}

// typeOf is the TypeScript type of a sample value.
func typeOf(key string, v hook.JSON) string {
	raw := v.Raw()
	switch {
	case key == "messages" || key == "toolResults":
		return "Message[]"
	case key == "message":
		return "Message"
	case key == "content":
		return "Content[]"
	case key == "input" || key == "details" || key == "payload" || key == "model" || key == "previousModel" || raw == "null" || raw == sampleJSON:
		return "any"
	case raw == "true" || raw == "false":
		return "boolean"
	case strings.HasPrefix(raw, `"`):
		return "string"
	case strings.HasPrefix(raw, "["):
		return "any[]"
	case !strings.HasPrefix(raw, "{"):
		return "number"
	}
	var parts []string
	for _, k := range v.Keys() {
		m, _ := v.Get(k)
		parts = append(parts, k+": "+typeOf(k, m))
	}
	return "{ " + strings.Join(parts, "; ") + " }"
}

// sampleJSON is the sample of what may be any JSON.
const sampleJSON = `{"k":1}`

// sample gives every field of an input a value.
func sample(v reflect.Value) {
	switch v.Interface().(type) {
	case hook.JSON:
		v.Set(reflect.ValueOf(hook.RawJSON(sampleJSON)))
		return
	case hook.Message:
		v.Set(reflect.ValueOf(hook.UserMessage("x")))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !f.Anonymous {
				sample(v.Field(i))
			}
		}
	case reflect.Pointer:
		if v.Type().Elem().Kind() == reflect.Struct && v.Type().Elem().PkgPath() != "" {
			v.Set(reflect.New(v.Type().Elem()))
			sample(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		s := reflect.MakeSlice(v.Type(), 1, 1)
		sample(s.Index(0))
		v.Set(s)
	}
}

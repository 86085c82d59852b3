package pi

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

// Declarations returns TypeScript declarations of the module API, for editors: the
// packages that modules import types from, and every event of the table with its
// payload and what a handler may return. They are derived from the table: payloads
// from what the codec sends, answers from the keys that it reads.
func Declarations() string {
	var b strings.Builder
	b.WriteString("// What hookline offers to modules. Written by 'hookline new'; changes are lost.\n\n")
	b.WriteString(`declare module "@oh-my-pi/pi-coding-agent/hooks" {` + "\n")
	b.WriteString(strings.TrimPrefix(commonTypes, "\n"))
	var on []string
	for i := range the.rows {
		row := &the.rows[i]
		payload, ok := payloadType(row)
		if !ok {
			continue
		}
		answer := answerType(row)
		for _, name := range row.names {
			on = append(on, fmt.Sprintf("\t\ton(event: %q, handler: Handler<%s, %s>): void;", name, strings.Replace(payload, "type: string", fmt.Sprintf("type: %q", name), 1), answer))
		}
	}
	b.WriteString("\texport interface HookAPI {\n" + strings.Join(on, "\n") + "\n" + apiMembers + "\t}\n")
	b.WriteString("\texport type ExtensionAPI = HookAPI;\n\texport type HookFactory = (pi: HookAPI) => void | Promise<void>;\n}\n\n")
	for _, name := range []string{"@oh-my-pi/pi-coding-agent", "@mariozechner/pi-coding-agent", "@mariozechner/pi-coding-agent/hooks"} {
		fmt.Fprintf(&b, "declare module %q {\n\texport * from \"@oh-my-pi/pi-coding-agent/hooks\";\n}\n", name)
	}
	return b.String()
}

const commonTypes = `
	export type Content = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string };
	export interface Message { role: string; content?: any; customType?: string; [key: string]: any }
	export interface CustomMessage { customType: string; content: string | Content[]; display: boolean; details?: unknown }
	export interface Compaction { summary: string; firstKeptEntryId: string; tokensBefore: number; details?: unknown }
	export interface UI {
		select(title: string, choices: string[]): Promise<string | undefined>;
		confirm(title: string, message: string): Promise<boolean>;
		input(title: string, placeholder?: string): Promise<string | undefined>;
		editor(title: string, prefill?: string): Promise<string | undefined>;
		custom(factory: (...args: any[]) => any): Promise<any>;
		notify(message: string, level?: "info" | "warning" | "error"): void;
		setStatus(key: string, text: string | undefined): void;
		setEditorText(text: string): void;
		getEditorText(): string;
		readonly theme: any;
	}
	export interface HookContext {
		ui: UI;
		hasUI: boolean;
		cwd: string;
		sessionManager: any;
		modelRegistry: any;
		model?: any;
		isIdle(): boolean;
		abort(): void;
		hasQueuedMessages(): boolean;
	}
	export interface HookCommandContext extends HookContext {
		waitForIdle(): Promise<void>;
		newSession(options?: { parentSession?: string; setup?: (sm: any) => void | Promise<void> }): Promise<{ cancelled: boolean }>;
		branch(entryId: string): Promise<{ cancelled: boolean }>;
		navigateTree(id: string, options?: { summarize?: boolean }): Promise<{ cancelled: boolean }>;
	}
	export interface ExecResult { stdout: string; stderr: string; code: number; killed: boolean }
	type Handler<E, R> = (event: E, ctx: HookContext) => R | void | Promise<R | void>;
`

const apiMembers = `		sendMessage(message: CustomMessage, options?: boolean | { triggerTurn?: boolean; deliverAs?: "steer" | "followUp" | "nextTurn" }): void;
		appendEntry(customType: string, data?: unknown): void;
		registerMessageRenderer(customType: string, renderer: (message: any, options: { expanded: boolean }, theme: any) => any): void;
		registerCommand(name: string, command: { description?: string; handler(args: string, ctx: HookCommandContext): void | Promise<void> }): void;
		exec(command: string, args: string[], options?: { signal?: AbortSignal; timeout?: number; cwd?: string }): Promise<ExecResult>;
		logger: { debug(...args: any[]): void; info(...args: any[]): void; warn(...args: any[]): void; error(...args: any[]): void };
		registerTool(tool: any): void;
		typebox: any;
		pi: any;
`

// answerTypes are the types of what handlers may return.
var answerTypes = map[string]string{
	"block": "boolean", "reason": "string", "cancel": "boolean", "content": "Content[]", "details": "unknown", "isError": "boolean",
	"messages": "Message[]", "message": "CustomMessage", "compaction": "Compaction", "summary": "{ summary: string; details?: unknown }",
	"context": "string[]", "prompt": "string", "preserveData": "Record<string, unknown>", "skipConversationRestore": "boolean",
}

func answerType(row *event) string {
	if len(row.keys) == 0 {
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
	c, ok := NewCodec(row.name(), script.FamilyAuto, script.KindAuto)
	if !ok {
		return "", false
	}
	in := row.canonical[0].Spec().New()
	sample(reflect.ValueOf(in).Elem())
	b, err := c.Encode(in)
	if err != nil {
		return "", false
	}
	return typeOf("", hook.RawJSON(b)), true
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
	case key == "input" || key == "details" || raw == "null":
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

// sample gives every field of an input a value.
func sample(v reflect.Value) {
	switch v.Interface().(type) {
	case hook.JSON:
		v.Set(reflect.ValueOf(hook.RawJSON(`{"k":1}`)))
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

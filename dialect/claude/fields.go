package claude

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/jsonx"
	"github.com/hookline-dev/hookline/internal/nearest"
	"github.com/hookline-dev/hookline/internal/toolrule"
	"github.com/hookline-dev/hookline/sandbox"
)

// field is a member of a hook: how it is read, and what the schema says of it.
type field struct {
	name string
	// types are the types of hooks that have the member; nil means all.
	types    []HandlerType
	required bool
	// kind is the JSON type, and words the strings that are allowed.
	kind  string
	words []string
	doc   string
	read  func(h *handlerParser, n *jsonx.Node)
}

var (
	// shells are the words of handler/command.
	shells = []string{"sh", "bash", "powershell", "pwsh", "builtin", "builtin-bash"}

	ofCommand = []HandlerType{TypeCommand}
	ofProgram = []HandlerType{TypeCommand, TypeWorker} // whose files approval covers
	ofHTTP    = []HandlerType{TypeHTTP}
	ofMCPTool = []HandlerType{TypeMCPTool}
	ofPrompt  = []HandlerType{TypePrompt}
	ofModel   = []HandlerType{TypePrompt, TypeAgent}
)

// handlerFields are the members of hooks. It is written once, here, and never
// changed.
var handlerFields = []field{
	{name: "type", required: true, kind: "string", words: typeNames(), doc: "what kind of hook it is", read: func(*handlerParser, *jsonx.Node) {}},
	{name: "if", kind: "string", doc: "permission rule that the tool call must match, such as Bash(git push *)", read: readIf},
	{name: "timeout", kind: "number", doc: "how long it may take, in seconds", read: readTimeout},
	{name: "statusMessage", kind: "string", doc: "text shown while it runs", read: into(func(e *Entry) *string { return &e.StatusMessage })},
	{name: "once", kind: "boolean", doc: "run until the first success in a session (frontmatter only)", read: flag(func(e *Entry) *bool { return &e.Once })},
	{name: "onFailure", kind: "string", words: []string{"block", "continue", "ask"}, doc: "what its failure counts as", read: readOnFailure},
	{name: "name", kind: "string", doc: "name for records and messages", read: into(func(e *Entry) *string { return &e.Name })},
	{name: "include_subagents", kind: "boolean", doc: "whether it runs in subagents too (default true)", read: flag(func(e *Entry) *bool { return &e.IncludeSubagents })},
	{name: "guard", kind: "boolean", doc: "run once more when a later hook changed the input; a worker that guards fails closed", read: flag(func(e *Entry) *bool { return &e.Guard })},
	{name: "env", kind: "object", types: ofProgram, doc: "environment variables", read: readEnv},

	{name: "command", types: ofProgram, required: true, kind: "string", doc: "shell command, or the program when there are args", read: words(func(e *Entry) *string { return &e.Command })},
	{name: "sandbox", types: ofProgram, kind: "object", doc: "what it may write besides the sandbox's own (write), off for none at all, noTCP for no TCP; a project's is granted by approval", read: readSandbox},
	{name: "args", types: ofProgram, kind: "array", doc: "arguments: the program runs without a shell", read: readArgs},
	{name: "async", types: ofCommand, kind: "boolean", doc: "run in the background", read: flag(func(e *Entry) *bool { return &e.Async })},
	{name: "asyncRewake", types: ofCommand, kind: "boolean", doc: "run in the background, and wake an idle agent on exit code 2", read: flag(func(e *Entry) *bool { return &e.AsyncRewake })},
	{name: "rewakeMessage", types: ofCommand, kind: "string", doc: "what the woken agent is told", read: into(func(e *Entry) *string { return &e.RewakeMessage })},
	{name: "rewakeSummary", types: ofCommand, kind: "string", doc: "what the person is told then", read: into(func(e *Entry) *string { return &e.RewakeSummary })},
	{name: "shell", types: ofCommand, kind: "string", words: shells, doc: "shell that runs the command", read: readShell},
	{name: "prewarm", types: ofCommand, kind: "number", doc: "how many processes are started ahead of the next event", read: readPrewarm},

	{name: "url", types: ofHTTP, required: true, kind: "string", doc: "address that gets the input", read: readURL},
	{name: "headers", types: ofHTTP, kind: "object", doc: "request headers; $NAME is replaced for allowedEnvVars", read: readHeaders},
	{name: "allowedEnvVars", types: ofHTTP, kind: "array", doc: "variables that headers may use", read: listInto(func(e *Entry) *[]string { return &e.AllowedEnvVars })},

	{name: "server", types: ofMCPTool, required: true, kind: "string", doc: "MCP server", read: words(func(e *Entry) *string { return &e.Server })},
	{name: "tool", types: ofMCPTool, required: true, kind: "string", doc: "tool of the server", read: words(func(e *Entry) *string { return &e.Tool })},
	{name: "input", types: ofMCPTool, kind: "object", doc: "its input; ${path.in.input} is replaced", read: readInput},

	{name: "prompt", types: ofModel, required: true, kind: "string", doc: "question for the model; $ARGUMENTS is the input", read: words(func(e *Entry) *string { return &e.Prompt })},
	{name: "model", types: ofModel, kind: "string", doc: "model to ask", read: into(func(e *Entry) *string { return &e.Model })},
	{name: "continueOnBlock", types: ofPrompt, kind: "boolean", doc: "go on, with the reason as feedback, after a tool has run", read: flag(func(e *Entry) *bool { return &e.ContinueOnBlock })},
}

// findField returns the member of a name, or nil.
func findField(name string) *field {
	for i := range handlerFields {
		if handlerFields[i].name == name {
			return &handlerFields[i]
		}
	}
	return nil
}

func fieldNames() []string {
	out := make([]string, len(handlerFields))
	for i, f := range handlerFields {
		out[i] = f.name
	}
	return out
}

// key is the name of a member, for messages.
func key(n *jsonx.Node) string {
	p := n.Pointer()
	return p[strings.LastIndexByte(p, '/')+1:]
}

// into reads a string.
func into(dst func(*Entry) *string) func(*handlerParser, *jsonx.Node) {
	return func(h *handlerParser, n *jsonx.Node) {
		if n.Kind != jsonx.String {
			h.fail(n, "write a string", "%s must be a string, not %v", key(n), n.Kind)
			return
		}
		*dst(h.e) = n.Text
	}
}

// words reads a string that must not be blank.
func words(dst func(*Entry) *string) func(*handlerParser, *jsonx.Node) {
	read := into(dst)
	return func(h *handlerParser, n *jsonx.Node) {
		if read(h, n); n.Kind == jsonx.String && strings.TrimSpace(n.Text) == "" {
			h.fail(n, "fill it in", "%s is empty", key(n))
		}
		if strings.IndexByte(n.Text, 0) >= 0 {
			h.fail(n, "remove it", "%s has a NUL character", key(n))
		}
	}
}

func flag(dst func(*Entry) *bool) func(*handlerParser, *jsonx.Node) {
	return func(h *handlerParser, n *jsonx.Node) {
		if n.Kind != jsonx.Bool {
			h.fail(n, "write true or false", "%s must be true or false, not %v", key(n), n.Kind)
			return
		}
		*dst(h.e) = n.Bool()
	}
}

func listInto(dst func(*Entry) *[]string) func(*handlerParser, *jsonx.Node) {
	return func(h *handlerParser, n *jsonx.Node) {
		list, bad := n.Strings()
		if bad != nil {
			h.fail(bad, "write an array of strings", "%s must be an array of strings, not %v", key(n), bad.Kind)
			return
		}
		*dst(h.e) = list
	}
}

func readArgs(h *handlerParser, n *jsonx.Node) {
	listInto(func(e *Entry) *[]string { return &e.Args })(h, n)
	if slices.ContainsFunc(h.e.Args, func(s string) bool { return strings.IndexByte(s, 0) >= 0 }) {
		h.fail(n, "remove it", "args have a NUL character")
	}
	if h.e.Args == nil && n.Kind == jsonx.Array {
		h.e.Args = []string{}
	}
}

func readIf(h *handlerParser, n *jsonx.Node) {
	into(func(e *Entry) *string { return &e.If })(h, n)
	if n.Kind != jsonx.String {
		return
	}
	filter, err := toolrule.Parse(n.Text)
	if err != nil {
		h.fail(n, "write one permission rule such as Bash(git push *), and a hook for each further one", "if: %v", err)
		return
	}
	// A filter that never holds switches its guard off in silence.
	name := filter.Tool()
	if near := nearest.Spelling(name, toolNames()); near != "" && near != name {
		remedy := fmt.Sprintf("did you mean %s?", near)
		if strings.EqualFold(near, name) {
			h.fail(n, remedy+" Names are case-sensitive", "if: there is no tool %q", name)
			return
		}
		h.p.report(n, diag.Warning, remedy, "if: %q is the name of no built-in tool", name)
	}
	h.e.filter = filter
}

// Bounds of a timeout: above an hour it is remarked upon, above a year refused.
const (
	longTimeout = 3600
	maxTimeout  = 365 * 24 * 3600
)

func readTimeout(h *handlerParser, n *jsonx.Node) {
	seconds, ok := n.Float()
	switch {
	case !ok:
		h.fail(n, "write a number of seconds, such as 10", "timeout must be a number of seconds, not %v", n.Kind)
	case seconds <= 0 || math.IsNaN(seconds):
		h.fail(n, "leave it out for the default", "timeout must be more than 0 seconds, not %s", n.Text)
	case seconds > maxTimeout:
		h.fail(n, "it counts seconds", "timeout of %s seconds is longer than a year", n.Text)
	case seconds > longTimeout:
		h.p.report(n, diag.Warning, "it counts seconds, not milliseconds", "timeout of %s seconds is %v", n.Text, toDuration(seconds).Round(time.Second))
		fallthrough
	default:
		h.e.Timeout = max(toDuration(seconds), time.Millisecond)
	}
}

func readOnFailure(h *handlerParser, n *jsonx.Node) {
	switch {
	case n.Kind != jsonx.String:
		h.fail(n, "write block or continue", "onFailure must be a string, not %v", n.Kind)
	case n.Text == "block":
		h.e.OnFailure = hook.FailClosed
	case n.Text == "ask":
		h.e.OnFailure = hook.FailAsk
	case n.Text == "continue" && h.p.opts.Scope.trusted():
		h.e.OnFailure = hook.FailOpen
	case n.Text == "continue":
		// The default is continue as well, save where the event or strict mode
		// says otherwise, and there a project's file has no say.
		h.p.report(n, diag.Info, "", "onFailure continue in %s settings does not relax strict mode", h.p.opts.Scope)
	default:
		h.fail(n, "write block, continue or ask", "unknown onFailure %q", n.Text)
	}
}

func readShell(h *handlerParser, n *jsonx.Node) {
	remedy := "write one of " + strings.Join(shells, ", ")
	switch {
	case n.Kind != jsonx.String:
		h.fail(n, remedy, "shell must be a string, not %v", n.Kind)
	case !slices.Contains(shells, n.Text):
		h.fail(n, remedy, "unknown shell %q", n.Text)
	default:
		h.e.Shell = n.Text
	}
}

func readEnv(h *handlerParser, n *jsonx.Node) {
	env, bad := stringMap(n)
	if bad != nil {
		h.fail(bad, "write an object of strings", "env must be an object of strings, not %v", bad.Kind)
		return
	}
	for _, m := range n.Members {
		switch {
		case m.Key == "" || strings.ContainsAny(m.Key, "=\x00") || strings.IndexByte(m.Value.Text, 0) >= 0:
			h.fail(m.Value, "rename it", "%q cannot be an environment variable", m.Key)
		case !h.p.opts.Scope.trusted() && toolrule.DangerousEnv(m.Key):
			h.fail(m.Value, "set it in your own settings", "%s settings may not set %s, which changes what programs run", h.p.opts.Scope, m.Key)
		}
	}
	h.e.Env = env
}

// readSandbox reads what a hook says of its sandbox. A hook of which that is not understood
// is lost: it may have been to tighten it.
func readSandbox(h *handlerParser, n *jsonx.Node) {
	if n.Kind != jsonx.Object || len(n.Duplicates) > 0 {
		h.fail(n, `write {"write": ["PATH"]}`, "sandbox must be an object with each key once")
		return
	}
	needs, err := sandbox.ParseNeeds([]byte(n.JSON()))
	if err != nil {
		h.fail(n, "write takes paths, off and noTCP true or false", "sandbox: %v", err)
	}
	h.e.Sandbox = needs
}

func stringMap(n *jsonx.Node) (m map[string]string, bad *jsonx.Node) {
	if n.Kind != jsonx.Object {
		return nil, n
	}
	m = make(map[string]string, len(n.Members))
	for _, one := range n.Members {
		if one.Value.Kind != jsonx.String {
			return nil, one.Value
		}
		m[one.Key] = one.Value.Text
	}
	return m, nil
}

func readURL(h *handlerParser, n *jsonx.Node) {
	words(func(e *Entry) *string { return &e.URL })(h, n)
	u, err := url.Parse(n.Text)
	switch {
	case n.Kind != jsonx.String:
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		h.fail(n, "write http://... or https://...", "url %q is not a web address", n.Text)
	case u.User != nil:
		h.p.report(n, diag.Warning, "put the credentials into a header, by a variable", "url has credentials in it")
	}
}

func readHeaders(h *handlerParser, n *jsonx.Node) {
	headers, bad := stringMap(n)
	if bad != nil {
		h.fail(bad, "write an object of strings", "headers must be an object of strings, not %v", bad.Kind)
		return
	}
	for _, m := range n.Members {
		if m.Key == "" || strings.ContainsAny(m.Key, " \t\r\n:") || strings.ContainsAny(m.Value.Text, "\r\n\x00") {
			h.fail(m.Value, "remove line breaks and blanks", "header %q is not valid", m.Key)
		}
	}
	h.e.Headers = headers
}

func readInput(h *handlerParser, n *jsonx.Node) {
	if n.Kind != jsonx.Object {
		h.fail(n, "write an object", "input must be an object, not %v", n.Kind)
		return
	}
	h.e.Input = hook.RawJSON(n.JSON())
}

func readPrewarm(h *handlerParser, n *jsonx.Node) {
	v, ok := n.Float()
	if !ok || v != math.Trunc(v) || v < 0 || v > 16 {
		h.fail(n, "write a whole number from 0 to 16", "prewarm must be a small whole number")
		return
	}
	h.e.Prewarm = int(v)
}

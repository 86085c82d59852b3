package codectest

import "github.com/hookline-dev/hookline/hook/hooktest"

// Script returns lines for sh that behave as asked; ok is false when this codec
// has no words for it.
func Script(b hooktest.Behaviour) (lines string, ok bool) {
	const read = "cat >/dev/null\n"
	switch b {
	case hooktest.Silent:
		return read, true
	case hooktest.Allow, hooktest.Deny, hooktest.Ask:
		return read + `echo '{"decision":"` + string(b) + `","reason":"` + hooktest.DenyReason + `"}'`, true
	case hooktest.Context:
		return read + `echo '{"context":"` + hooktest.ContextText + `"}'`, true
	case hooktest.Rewrite:
		return read + `echo '{"updated_input":{"command":"` + hooktest.RewrittenCmd + `"}}'`, true
	case hooktest.Fail:
		return read + "exit 3", true
	case hooktest.Garbage:
		return read + `echo '{"decision":'`, true
	case hooktest.Hang:
		return read + "sleep 60", true
	case hooktest.GoAsync:
		return read + "echo '{\"async\":true}'\nsleep 0.1\n" + `echo '{"context":"` + hooktest.LateText + `"}'`, true
	case hooktest.Echo:
		return `id=$(sed -n 's/.*"id": *\([^,}]*\).*/\1/p'); printf '{"context":"%s"}' "$id"`, true
	case hooktest.WrongField:
		return read + `echo '{"updated_output":{"x":1}}'`, true
	}
	return "", false
}

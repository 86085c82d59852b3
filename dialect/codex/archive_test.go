package codex

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

// TestPastCalls reads calls as the versions of Codex have written them.
func TestPastCalls(t *testing.T) {
	for _, c := range []struct{ payload, want string }{
		{`"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls -l\"}"`, "Bash ls -l"},
		{`"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"ls | wc\"]}"`, "Bash ls | wc"},
		{`"type":"function_call","name":"shell","arguments":"{\"command\":[\"git\",\"status\"]}"`, "Bash git status"},
		{`"type":"function_call","name":"shell_command","arguments":"{\"command\":\"ls\"}"`, "Bash ls"},
		{`"type":"local_shell_call","action":{"type":"exec","command":["sh","-c","date"]}`, "Bash date"},
		{`"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch"`, "Write /p/a, Write /p/b"},
		{`"type":"function_call","name":"mcp__db__query","arguments":"{\"file_path\":\"q\"}"`, "mcp__db__query q"},
		{`"type":"function_call","name":"update_plan","arguments":"{}"`, ""},
		{`"type":"function_call","name":"exec_command","arguments":"{}"`, "call k of exec_command has no command"},
	} {
		s := Dialect().(dialect.Archived).Archives()[0].Reader("/s.jsonl")
		var got []string
		for _, line := range []string{`{"type":"turn_context","payload":{"cwd":"/p"}}`, `{"type":"response_item","payload":{"call_id":"k",` + c.payload + `}}`} {
			past, err := s.Next([]byte(line))
			if err != nil {
				got = append(got, err.Error())
			}
			for _, p := range past {
				in := p.Input.(*hook.PreToolUse)
				got = append(got, fmt.Sprint(in.ToolName, " ", in.ToolInput.String("command"), in.ToolInput.String("file_path")))
			}
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.payload, s, c.want)
		}
	}
}

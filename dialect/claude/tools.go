package claude

import (
	"strings"

	"github.com/hookline-dev/hookline/hook"
)

// Tool is a built-in tool as hooks of this dialect know it.
type Tool struct {
	// Name is the canonical name, case-sensitive.
	Name string
	// Fields are the members of the tool's input.
	Fields []ToolField
	// Example is an input with every required member.
	Example hook.JSON
}

// ToolField is a member of a tool's input.
type ToolField struct {
	Name string
	// Type is the JSON type: string, number, boolean, array or object.
	Type     string
	Required bool
}

// toolTable is the vocabulary, one line a tool: its name, its fields (? marks an
// optional one, a colon a type other than string) and an example.
func toolTable() [][3]string {
	return [][3]string{
		{"Bash", "command description? timeout?:number run_in_background?:boolean", `{"command":"ls -la","description":"List files"}`},
		{"PowerShell", "command description? timeout?:number run_in_background?:boolean", `{"command":"Get-ChildItem","description":"List files"}`},
		{"Write", "file_path content", `{"file_path":"/project/hello.txt","content":"hello\n"}`},
		{"Edit", "file_path old_string new_string replace_all?:boolean", `{"file_path":"/project/hello.txt","old_string":"hello","new_string":"goodbye"}`},
		{"MultiEdit", "file_path edits:array", `{"file_path":"/project/hello.txt","edits":[{"old_string":"hello","new_string":"goodbye"}]}`},
		{"NotebookEdit", "notebook_path new_source cell_id? cell_type? edit_mode?", `{"notebook_path":"/project/a.ipynb","new_source":"print(1)"}`},
		{"Read", "file_path offset?:number limit?:number", `{"file_path":"/project/hello.txt"}`},
		{"Glob", "pattern path?", `{"pattern":"**/*.go"}`},
		{"Grep", "pattern path? glob? output_mode? -i?:boolean multiline?:boolean", `{"pattern":"TODO","path":"/project"}`},
		{"LS", "path", `{"path":"/project"}`},
		{"WebFetch", "url prompt", `{"url":"https://example.com/","prompt":"Summarise the page"}`},
		{"WebSearch", "query allowed_domains?:array blocked_domains?:array", `{"query":"go generics"}`},
		{"Agent", "description prompt subagent_type model? run_in_background?:boolean", `{"prompt":"Review the change","description":"Review","subagent_type":"reviewer"}`},
		{"Task", "description prompt subagent_type model? run_in_background?:boolean", `{"prompt":"Review the change","description":"Review","subagent_type":"reviewer"}`},
		{"AskUserQuestion", "questions:array answers?:object", `{"questions":[{"question":"Which one?","header":"Choice","options":[{"label":"A"},{"label":"B"}],"multiSelect":false}]}`},
		{"ExitPlanMode", "plan planFilePath?", `{"plan":"1. Do it","planFilePath":"/project/plan.md"}`},
		{"TodoWrite", "todos:array", `{"todos":[{"content":"Do it","status":"pending","activeForm":"Doing it"}]}`},
		{"Skill", "skill args?", `{"skill":"review"}`},
		{"BashOutput", "bash_id filter?", `{"bash_id":"b1"}`},
		{"KillShell", "shell_id", `{"shell_id":"b1"}`},
	}
}

// Tools returns the built-in tools in a fixed order. The slice is the caller's.
func Tools() []Tool {
	rows := toolTable()
	out := make([]Tool, len(rows))
	for i, row := range rows {
		out[i] = Tool{Name: row[0], Example: hook.RawJSON(row[2])}
		for _, word := range strings.Fields(row[1]) {
			name, typ, ok := strings.Cut(word, ":")
			if !ok {
				typ = "string"
			}
			name, optional := strings.CutSuffix(name, "?")
			out[i].Fields = append(out[i].Fields, ToolField{Name: name, Type: typ, Required: !optional})
		}
	}
	return out
}

// toolNames returns the canonical names of the built-in tools in a fixed order.
func toolNames() []string {
	rows := toolTable()
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = row[0]
	}
	return out
}

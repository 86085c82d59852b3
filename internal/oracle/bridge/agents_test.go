//go:build oracle

package bridge

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"runtime"

	"github.com/hookline-dev/hookline/internal/oracle"
	"github.com/hookline-dev/hookline/internal/oracle/claude"
	"github.com/hookline-dev/hookline/internal/oracle/pi"
)

// agent is a program that is played with the bridge installed for it. In its texts $MODEL is
// the address of the scripted model and $CACHE the directory of the programs.
type agent struct {
	// host is its name in our commands, tool what its model calls the tool that runs
	// commands, line the member of that one's input that is the command line, and input what
	// else that needs.
	host, tool, line string
	input            map[string]any
	// from is where the program comes from, by what starts it, nil for the program itself,
	// and accept says that it needs ORACLE_ACCEPT.
	from   oracle.Package
	by     *oracle.Package
	accept bool
	// source is where one is built from that is in no registry: its program is in the cache then.
	source string
	// args are what follows the program, the prompt last unless talk says it.
	args, env []string
	files     map[string]string
	talk      func(r *oracle.Room, in io.Writer, out *bufio.Scanner)
	// lost are what the host cannot do, of rewrite, redact, addTo and goOn.
	lost []string
	// quiet says that a prompt that is refused ends it without a word, and that each round of
	// results is a prompt.
	quiet bool
	// toolsOnly says that it has no event before those of tools.
	toolsOnly bool
}

var agents = []agent{
	{
		host: "claude", tool: "Bash", line: "command", from: claude.Package(claude.Version), accept: true,
		args: []string{"--model", "claude-haiku-4-5", "--allowedTools", "Bash", "-p"},
		env:  []string{"ANTHROPIC_BASE_URL=$MODEL", "ANTHROPIC_API_KEY=dummy", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"},
	},
	{
		host: "codex", tool: "exec_command", line: "cmd", from: oracle.Package{Name: "@openai/codex", Version: "0.171.0", Program: "bin/codex.js"},
		args: []string{"exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check"},
		env:  []string{"FAKE_KEY=dummy"},
		files: map[string]string{"~/.codex/config.toml": `model = "fake-1"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.fake]
name = "fake"
base_url = "$MODEL/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
[features]
hooks = true
`},
	},
	{
		host: "copilot", tool: "bash", line: "command", accept: true,
		from: oracle.Package{Name: "@github/copilot-" + runtime.GOOS + "-" + oracle.NodeArch(), Version: "1.0.102", Program: "copilot"},
		args: []string{"--allow-all-tools", "-p"},
		env: []string{
			"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_MODEL=fake-1", "XDG_CACHE_HOME=$CACHE/copilot",
			"COPILOT_PROVIDER_TYPE=anthropic", "COPILOT_PROVIDER_BASE_URL=$MODEL", "COPILOT_PROVIDER_API_KEY=dummy",
		},
	},
	{
		host: "gemini", tool: "run_shell_command", line: "command", from: oracle.Package{Name: "@google/gemini-cli", Version: "0.61.0", Program: "bundle/gemini.js"},
		args:  []string{"-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p"},
		env:   []string{"GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL=$MODEL", "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true"},
		files: map[string]string{"~/.gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false}}`},
	},
	{
		host: "qwen", tool: "run_shell_command", line: "command", from: oracle.Package{Name: "@qwen-code/qwen-code", Version: "0.15.10", Program: "cli.js"},
		args:  []string{"--approval-mode", "yolo", "-p"},
		env:   []string{"OPENAI_API_KEY=dummy", "OPENAI_BASE_URL=$MODEL/v1", "OPENAI_MODEL=fake-1", "QWEN_CODE_NO_RELAUNCH=true"},
		files: map[string]string{"~/.qwen/settings.json": `{"security":{"auth":{"selectedType":"openai"}},"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},"memory":{"enableManagedAutoMemory":false}}`},
		lost:  []string{rewrite, redact}, quiet: true,
	},
	{
		host: "opencode", tool: "bash", line: "command", from: oracle.Package{Name: "opencode-ai", Version: "1.18.33", Program: "bin/opencode.exe"},
		args: []string{"acp"}, talk: acp,
		env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"},
		files: map[string]string{
			"opencode.json": `{"autoupdate":false,"share":"disabled","model":"fake/fake-1","small_model":"fake/fake-1","enabled_providers":["fake"],
"provider":{"fake":{"npm":"@ai-sdk/openai-compatible","name":"fake","options":{"baseURL":"$MODEL/v1","apiKey":"dummy"},"models":{"fake-1":{"name":"fake-1","tool_call":true,"limit":{"context":100000,"output":4000}}}}}}`,
			// it fetches this package unless the lock file has it
			"~/.config/opencode/package-lock.json": opencodeLock, "~/.config/opencode/node_modules/none": "",
		},
	},
	{
		host: "pi", tool: "bash", line: "command", from: pi.Packages[0], by: new(pi.Node()),
		args: []string{"--model", "fake/fake-1", "--mode", "rpc"}, talk: piRPC, env: []string{"PI_OFFLINE=1"},
		files: map[string]string{"~/.pi/agent/models.json": piModels, "~/.pi/agent/extensions/rewrite.ts": noModule, "~/.kodelet/hooks/rewrite": kodeletRewrite},
	},
	{
		host: "omp", tool: "bash", line: "command", from: oracle.Package{Name: "@oh-my-pi/pi-coding-agent", Version: "17.3.5", Program: "dist/cli.js"},
		by:   &oracle.Package{Name: "bun", Version: "1.4.5", Program: "bin/bun.exe"},
		args: []string{"--model", "fake/fake-1", "--mode", "rpc"}, talk: piRPC,
		files: map[string]string{"~/.omp/agent/models.yml": piModels, "~/.pi/agent/extensions/rewrite.ts": noModule, "~/.kodelet/hooks/rewrite": kodeletRewrite},
	},
	{
		host: "kodelet", tool: "bash", line: "command", input: map[string]any{"timeout": 10}, source: "github.com/jingkaihe/kodelet",
		args: []string{"run", "--provider", "anthropic", "--model", "claude-haiku-4-5", "--weak-model", "claude-haiku-4-5"},
		env:  []string{"ANTHROPIC_BASE_URL=$MODEL", "ANTHROPIC_API_KEY=dummy"},
		lost: []string{addTo},
	},
	{
		host: "crush", tool: "bash", line: "command", source: "github.com/charmbracelet/crush",
		args: []string{"run", "--quiet"}, env: []string{"CRUSH_DISABLE_METRICS=1"},
		files: map[string]string{"~/.config/crush/crush.json": `{"options":{"disable_provider_auto_update":true,"disable_default_providers":true},
"providers":{"fake":{"type":"anthropic","base_url":"$MODEL","api_key":"dummy","discover_models":false,"models":[{"id":"fake-1","name":"Fake","context_window":200000,"default_max_tokens":8000}]}},
"models":{"large":{"model":"fake-1","provider":"fake"},"small":{"model":"fake-1","provider":"fake"}}}`},
		lost: []string{redact, addTo, goOn}, toolsOnly: true,
	},
}

// An agent that runs modules of pi itself is not to run the one that is to run behind it: an
// executable rewrites there.
const (
	noModule       = "export default () => {}"
	kodeletRewrite = `#!/bin/sh
[ "$1" = hook ] && { echo before_tool_call; exit 0; }
case "$(cat)" in *plain.txt*) echo '{"input": {"command": "touch rewritten.txt"}}' ;; *) echo '{}' ;; esac
`
)

const (
	opencodeLock = `{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}}}`
	piModels     = `{"providers":{"fake":{"baseUrl":"$MODEL","api":"anthropic-messages","apiKey":"dummy","models":[{"id":"fake-1","name":"Fake","reasoning":false,"input":["text"],"contextWindow":200000,"maxTokens":8000,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0}}]}}}`
)

// piRPC says the prompt over pi's own protocol.
func piRPC(_ *oracle.Room, in io.Writer, _ *bufio.Scanner) {
	fmt.Fprintf(in, `{"id":"1","type":"prompt","message":%q}`+"\n", prompt)
}

// acp says the prompt over the Agent Client Protocol.
func acp(r *oracle.Room, in io.Writer, out *bufio.Scanner) {
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
	fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", r.Project)
	for out.Scan() {
		var answer struct{ Result struct{ SessionID string } }
		if _ = json.Unmarshal(out.Bytes(), &answer); answer.Result.SessionID != "" {
			fmt.Fprintf(in, `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}}`+"\n", answer.Result.SessionID, prompt)
			return
		}
	}
}

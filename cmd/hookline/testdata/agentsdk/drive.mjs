// Drives the command by the real package, offline: node drive.mjs PACKAGE COMMAND DIR. Each
// message that comes is kept in DIR/messages.jsonl. A failure ends it with an error.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, command, dir] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(path.join(modules, name)));
const { query, tool, createSdkMcpServer } = await load("@anthropic-ai/claude-agent-sdk/sdk.mjs");
const { z } = await load("zod/index.js");

let room = 0;
// options are those of a room of its own: a project, a home directory and a model that follows a script.
function options(turns, more) {
  const at = path.join(dir, `room${++room}`);
  const cwd = path.join(at, "project");
  fs.mkdirSync(cwd, { recursive: true });
  fs.mkdirSync(path.join(at, "home"));
  fs.writeFileSync(path.join(at, "turns.yaml"), JSON.stringify({ turns }));
  const env = { PATH: process.env.PATH, HOME: path.join(at, "home"), HOOKLINE_MODEL: `script:${at}/turns.yaml`, CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK: "1" };
  return { cwd, env, pathToClaudeCodeExecutable: command, stderr: (s) => process.stderr.write(s), ...more };
}

async function all(q, each = () => {}) {
  const got = [];
  for await (const m of q) {
    fs.appendFileSync(path.join(dir, "messages.jsonl"), JSON.stringify(m) + "\n");
    got.push(m);
    await each(m, q);
  }
  return got;
}

const touch = (name, id) => ({ tool_calls: [{ name: "Bash", id, input: { command: `touch ${name}` } }] });
const result = (messages) => messages.findLast((m) => m.type === "result");
const files = (o) => fs.readdirSync(o.cwd);
async function* stream(...texts) {
  for (const text of texts) yield { type: "user", session_id: "", parent_tool_use_id: null, message: { role: "user", content: text } };
}
// open is a stream that goes on until it is closed.
function open(text) {
  let close;
  const closed = new Promise((done) => { close = done; });
  return { close, prompts: (async function* () { yield* stream(text); await closed; })() };
}

const cases = {
  async "a query"() {
    const got = await all(query({ prompt: "go", options: options([{ text: "hello" }]) }));
    assert.equal(got[0].subtype, "init");
    assert.equal(result(got).result, "hello");
  },
  async "streaming input"() {
    const got = await all(query({ prompt: stream("one", "two"), options: options([{ text: "1" }, { text: "2" }]) }));
    assert.deepEqual(got.filter((m) => m.type === "result").map((m) => m.result), ["1", "2"]);
  },
  async "canUseTool"() {
    const asked = [];
    const o = options([touch("original"), touch("second"), { text: "done" }], {
      canUseTool: async (name, input, more) => {
        asked.push([name, input.command, more.toolUseID.length > 0, more.suggestions.length > 0]);
        return input.command === "touch original" ? { behavior: "allow", updatedInput: { command: "touch changed" } } : { behavior: "deny", message: "not the second" };
      },
    });
    const got = await all(query({ prompt: "go", options: o }));
    assert.deepEqual(asked, [["Bash", "touch original", true, true], ["Bash", "touch second", true, true]]);
    assert.deepEqual(files(o), ["changed"]);
    assert.match(JSON.stringify(got), /not the second/);
    assert.equal(result(got).permission_denials.length, 1);
  },
  async "hooks"() {
    const seen = [];
    const o = options([touch("original"), { text: "done" }], {
      permissionMode: "acceptEdits",
      hooks: {
        PreToolUse: [{ matcher: "Bash", hooks: [async (input, id) => {
          seen.push(input.hook_event_name, input.tool_input.command, id);
          return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no touching" } };
        }] }],
        Stop: [{ hooks: [async (input) => { seen.push(input.hook_event_name); return {}; }] }],
      },
    });
    const got = await all(query({ prompt: "go", options: o }));
    assert.deepEqual([seen[0], seen[1], seen[3]], ["PreToolUse", "touch original", "Stop"]);
    assert.match(JSON.stringify(got), /no touching/);
    assert.deepEqual(files(o), []);
  },
  async "in-process MCP tools"() {
    const calc = createSdkMcpServer({ name: "calc", version: "1", tools: [tool("add", "Adds.", { a: z.number(), b: z.number() }, async ({ a, b }) => ({ content: [{ type: "text", text: `sum ${a + b}` }] }))] });
    const o = options([{ tool_calls: [{ name: "mcp__calc__add", input: { a: 40, b: 2 } }] }, { text: "done" }], { mcpServers: { calc }, allowedTools: ["mcp__calc__add"] });
    const got = await all(query({ prompt: "go", options: o }));
    assert.match(JSON.stringify(got), /sum 42/);
    assert.deepEqual(got[0].mcp_servers, [{ name: "calc", status: "connected" }]);
  },
  async "interrupt"() {
    const o = options([{ tool_calls: [{ name: "Bash", input: { command: "sleep 60" } }] }], { allowedTools: ["Bash(sleep:*)"] });
    const talk = open("go");
    let ended;
    // As with the other program, what was interrupted last makes the exit code, which the package throws.
    await assert.rejects(all(query({ prompt: talk.prompts, options: o }), async (m, q) => {
      if (m.type === "assistant") await q.interrupt();
      if (m.type !== "result") return;
      ended = m;
      talk.close();
    }), /interrupted the prompt/);
    assert.equal(ended.subtype, "error_during_execution");
  },
  async "modes and models"() {
    const talk = open("go");
    await all(query({ prompt: talk.prompts, options: options([{ text: "1" }]) }), async (m, q) => {
      if (m.type !== "result") return;
      await q.setPermissionMode("plan");
      await q.setModel();
      await assert.rejects(q.setModel("nothing/at-all"), /set_model/);
      assert.deepEqual(await q.mcpServerStatus(), []);
      assert.ok((await q.supportedCommands()).length > 0);
      talk.close();
    });
  },
  async "agents"() {
    const o = options([
      { tool_calls: [{ name: "Agent", id: "toolu_a", input: { description: "look", prompt: "look", subagent_type: "looker" } }] }, { text: "looked" }, { text: "done" },
    ], { agents: { looker: { description: "Looks.", prompt: "You look.", tools: ["Read"] } } });
    const got = await all(query({ prompt: "go", options: o }));
    assert.ok(got[0].agents.includes("looker"));
    assert.ok(got.some((m) => m.type === "assistant" && m.parent_tool_use_id === "toolu_a"));
    assert.deepEqual(got.filter((m) => m.subtype?.startsWith("task_")).map((m) => [m.subtype, m.tool_use_id, m.status]), [["task_started", "toolu_a", undefined], ["task_notification", "toolu_a", "completed"]]);
  },
  async "partial messages"() {
    const got = await all(query({ prompt: "go", options: options([{ text: "hello", chunks: 3 }], { includePartialMessages: true }) }));
    assert.equal(got.filter((m) => m.type === "stream_event" && m.event.type === "content_block_delta").map((m) => m.event.delta.text).join(""), "hello");
  },
  async "structured output"() {
    const o = options([{ tool_calls: [{ name: "StructuredOutput", input: { n: 7 } }] }], { outputFormat: { type: "json_schema", schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } } });
    assert.deepEqual(result(await all(query({ prompt: "go", options: o }))).structured_output, { n: 7 });
  },
  async "resume and fork"() {
    const o = options([{ text: "again", repeat: -1 }]);
    const first = result(await all(query({ prompt: "remember", options: o }))).session_id;
    assert.equal(result(await all(query({ prompt: "go on", options: { ...o, resume: first } }))).session_id, first);
    assert.notEqual(result(await all(query({ prompt: "go on", options: { ...o, resume: first, forkSession: true } }))).session_id, first);
  },
};

for (const [name, run] of Object.entries(cases)) {
  await run().catch((err) => { throw new Error(name, { cause: err }); });
  console.log(`ok ${name}`);
}

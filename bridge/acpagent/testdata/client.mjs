// A client by the protocol's TypeScript package: node client.mjs MODULES PROJECT. It speaks to
// the agent over standard input and output, and ends with an error when something is amiss.
import { readFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { createRequire } from "node:module";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [modules, project] = process.argv.slice(2);
const require = createRequire(join(modules, "x.js"));
const acp = await import(pathToFileURL(require.resolve("@agentclientprotocol/sdk")));
const { agent, client } = acp.methods;

const updates = [];
const asked = [];
let answer = "allow_once";

const want = (what, ok, got) => {
  if (!ok) throw new Error(`${what}: ${JSON.stringify(got)}`);
};
const said = () => updates.filter((u) => u.sessionUpdate === "agent_message_chunk").map((u) => u.content.text).join("");

const app = acp
  .client({ name: "test" })
  .onNotification(client.session.update, ({ params }) => void updates.push(params.update))
  .onRequest(client.session.requestPermission, ({ params }) => {
    asked.push(params);
    const option = params.options.find((o) => o.kind === answer);
    return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
  })
  .onRequest(client.fs.readTextFile, ({ params }) => ({ content: readFileSync(params.path, "utf8") }));

await app.connectWith(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)), (ctx) => drive(ctx).catch((e) => {
  console.error("Error:", e);
  process.exit(1);
}));
process.exit(0);

async function drive(ctx) {
  const init = await ctx.request(agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {}, clientInfo: { name: "test", version: "1" } });
  want("initialize", init.protocolVersion === 1 && init.agentInfo.name === "hookline", init);
  const { sessionId, modes, configOptions } = await ctx.request(agent.session.new, { cwd: project, mcpServers: [] });
  want("modes", modes.availableModes.some((m) => m.id === "plan") && modes.currentModeId === "default", modes);
  const model = configOptions.find((o) => o.category === "model");
  want("models", model.options.some((o) => o.value === "acme/large") && model.options.some((o) => o.value === model.currentValue), model);

  const prompt = async (text) => {
    updates.length = asked.length = 0;
    const { stopReason } = await ctx.request(agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
    return stopReason;
  };
  want("an answer", (await prompt("hello")) === "end_turn" && said() === "Hello from the script.", updates);

  // A hook denies what the person would allow.
  want("a denied call", (await prompt("delete")) === "end_turn" && asked.length === 0 && !existsSync(join(project, "denied")), updates);
  const failed = updates.find((u) => u.sessionUpdate === "tool_call_update" && u.status === "failed");
  want("its reason", JSON.stringify(failed ?? null).includes("not that command"), updates);

  // The person is asked about another one, refuses it, and allows it.
  answer = "reject_once";
  await prompt("write");
  want("a refused call", asked.length === 1 && asked[0].toolCall.kind === "edit" && !existsSync(join(project, "written")), asked);
  answer = "allow_once";
  await prompt("write");
  want("an allowed call", asked.length === 1 && readFileSync(join(project, "written"), "utf8") === "x", asked);

  await ctx.request(agent.session.setMode, { sessionId, modeId: "acceptEdits" });
  const { configOptions: after } = await ctx.request(agent.session.setConfigOption, { sessionId, configId: "model", value: "acme/large" });
  want("the model set", after.find((o) => o.id === "model").currentValue === "acme/large", after);
  const refused = await ctx.request(agent.session.setConfigOption, { sessionId, configId: "model", value: "nobody/x" }).catch((e) => e);
  want("a model that nobody has", refused instanceof Error && refused.message.includes("nobody"), String(refused));

  const { sessions } = await ctx.request(agent.session.list, { cwd: project });
  want("the list", sessions.some((s) => s.sessionId === sessionId), sessions);
  await ctx.request(agent.session.close, { sessionId });
  updates.length = 0;
  await ctx.request(agent.session.load, { sessionId, cwd: project, mcpServers: [] });
  want("what was said", said().includes("Hello from the script."), updates);
  const none = await ctx.request("no/such/method", {}).catch((e) => e);
  want("an unknown method", none.code === -32601, String(none));
}

import { allow, ask, background, context, deny, hook, run } from "../../../sdk/node/hookline.mjs";

const behaviour = process.env.BEHAVIOUR;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const answers = {
  allow: () => allow(),
  deny: () => deny("denied by the test"),
  ask: () => ask("sure?"),
  context: () => {
    console.log("this is not the protocol");
    return context("context from the test");
  },
  rewrite: () => ({ updated_input: { command: "rewritten" }, input_patch: true }),
  fail: () => {
    throw new Error("on purpose");
  },
  garbage: () => ({ decision: "perhaps" }),
  hang: () => sleep(60_000),
  async: () => background(sleep(50).then(() => context("context from the background")), 60),
  echo: (event) => context(String(event.tool_input.id)),
  "wrong field": () => ({ updated_output: 12345678901234567890n }),
};

if (behaviour === "talk") {
  const options = { match: "Bash", name: "main", timeout: 5, guard: true, onFailure: "open", priority: 3 };
  hook("PreToolUse", options, async (event, ctx) => {
    ctx.log("from the hook");
    ctx.progress("working");
    const lines = [String(await ctx.confirm("Sure?", "really"))];
    lines.push(await ctx.select("Which?", ["a", "b"]));
    lines.push(await ctx.input("Name?", "x"));
    const done = await ctx.exec(process.execPath, ["-e", "console.log('out')"]);
    lines.push(`${done.code} ${done.stdout.trim()}`);
    for (const value of [await ctx.messages(), await ctx.metadata("known"), await ctx.metadata("other")]) {
      lines.push(JSON.stringify(value));
    }
    await ctx.notify("done");
    lines.push(event.tool_input.command);
    return context(...lines);
  });
  hook("PreToolUse", { name: "yield", observe: true, once: true }, (event, ctx) =>
    new Promise((resolve) => ctx.signal.addEventListener("abort", () => resolve())),
  );
} else if (behaviour === "unknown") {
  hook("PreToolUse", { matcher: "Bash", guard: true }, () => deny("it guards"));
} else if (behaviour === "meet") {
  let here = [];
  hook("PreToolUse", async (event, ctx) => {
    await ctx.confirm("Meet?");
    await new Promise((resolve) => {
      here.push(resolve);
      if (here.length < 2) return;
      for (const go of here) go();
      here = [];
    });
    return context("met");
  });
} else {
  hook("PreToolUse", (event) => answers[behaviour]?.(event));
}

run({ concurrency: 4 });

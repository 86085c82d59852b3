#!/usr/bin/env node
// A guard as a worker: it refuses commands that delete recursively, and asks about pushes.
// In .hookline/workers/ the library lies in lib/: import from "./lib/hookline.mjs".
import { context, deny, hook, run } from "../../sdk/node/hookline.mjs";

const seen = new Map(); // a worker may remember: it stays

hook("PreToolUse", { match: "Bash", guard: true, timeout: 10, name: "no deletes" }, async (event, ctx) => {
  const command = event.tool_input.command ?? "";
  if (/\brm\s+-\w*[rR]/.test(command)) return deny("deleting recursively is not allowed here");
  if (/\bgit\s+push\b/.test(command) && !(await ctx.confirm("Push?", command))) {
    return deny("the person did not agree to the push");
  }
});

hook("PostToolUse", { match: "Bash", onFailure: "open", name: "count" }, (event) => {
  const n = (seen.get(event.session_id) ?? 0) + 1;
  seen.set(event.session_id, n);
  if (n === 50) return context("50 commands so far: consider whether this is going anywhere");
});

run();

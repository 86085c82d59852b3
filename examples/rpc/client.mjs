#!/usr/bin/env node
// A program that embeds the agent: it asks it one thing, allows its tool calls, and
// prints what happens. Nothing but Node is needed.
//
//   node client.mjs [hookline] [flags of hookline rpc...] -- PROMPT
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

class Agent {
  constructor([program, ...flags], onEvent, onQuestion) {
    this.process = spawn(program, ["rpc", ...flags], { stdio: ["pipe", "pipe", "inherit"] });
    this.waiting = new Map();
    this.nextId = 0;
    this.ended = new Promise((resolve) => this.process.on("close", resolve));
    this.ended.then(() => {
      for (const { reject } of this.waiting.values()) reject(new Error("the agent ended"));
    });
    createInterface({ input: this.process.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      if (message.type === "response") {
        const request = this.waiting.get(message.id);
        this.waiting.delete(message.id);
        if (message.success) request?.resolve(message.data);
        else request?.reject(new Error(message.error));
      } else if (message.type === "ui_request") {
        this.send({ type: "ui_response", id: message.id, ...onQuestion(message) });
      } else if (message.type === "event") {
        onEvent(message);
      }
    });
  }

  send(message) {
    this.process.stdin.write(JSON.stringify(message) + "\n");
  }

  ask(type, fields = {}) {
    const id = String(++this.nextId);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ type, id, ...fields });
    });
  }

  async close() {
    this.process.stdin.end(); // the agent ends when nobody speaks to it
    await this.ended;
  }
}

const args = process.argv.slice(2);
const split = args.includes("--") ? args.indexOf("--") : args.length;
const command = split > 0 ? args.slice(0, split) : ["hookline"];
const prompt = args.slice(split + 1).join(" ") || "hello";

const agent = new Agent(
  command,
  (event) => {
    if (event.event === "text") console.log("agent:", event.text);
    if (event.event === "tool_end") console.log("tool:", event.call.name, JSON.stringify(event.call.input));
  },
  (question) => {
    console.log("asked:", question.title.split(" (")[0]);
    if (question.method === "select") return { index: 0 };
    if (question.method === "confirm") return { confirmed: true };
    return { dismissed: true };
  },
);
const state = await agent.ask("get_state");
console.log("model:", state.model);
const result = await agent.ask("prompt", { text: prompt });
console.log("ended:", result.end, "after", result.turns, "turns");
await agent.close();

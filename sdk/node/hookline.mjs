// Write Hookline hooks as a worker: a process that stays and answers events.
//
//     import { hook, deny, run } from "./hookline.mjs";
//
//     hook("PreToolUse", { match: "Bash" }, async (event, ctx) => {
//       if (event.tool_input.command?.includes("rm -rf")) return deny("that deletes too much");
//     });
//
//     run();
//
// One file, no dependencies, Node 18 or later. Copy it beside your worker, with
// hookline.d.mts for TypeScript.
//
// A handler returns nothing for no opinion, or an object whose members are those of a
// result in docs/worker-protocol.md; allow(), deny(), ask() and context() make one. A
// handler that throws has failed, and its failure policy decides.
//
// What a worker prints goes to standard error: standard output is the protocol's.
// Whole numbers that a JavaScript number cannot hold arrive as BigInt, and a BigInt in
// a result is written as the number that it is.

import crypto from "node:crypto";

const PROTOCOL = 1;

const registered = [];

/** What hook() takes; d.mts says what each means. */
const OPTIONS = ["match", "name", "timeout", "onFailure", "priority", "observe", "guard", "once"];

/** Registers a handler for an event. An option that it does not know is an error. */
export function hook(event, options, handler) {
  if (typeof options === "function") [options, handler] = [{}, options];
  if (typeof handler !== "function") throw new TypeError(`hook(${JSON.stringify(event)}): there is no handler`);
  const o = options ?? {};
  for (const key of Object.keys(o)) {
    // A guard for another tool than was meant, or without its policy, would guard nothing.
    if (!OPTIONS.includes(key)) throw new TypeError(`hook(${JSON.stringify(event)}): unknown option ${key}; there are ${OPTIONS.join(", ")}`);
  }
  const spec = { event, name: o.name ?? handler.name ?? "" };
  if (o.match) spec.matcher = o.match;
  if (o.timeout !== undefined) spec.timeout_ms = milliseconds(o.timeout);
  if (o.onFailure) spec.on_failure = o.onFailure;
  if (o.priority) spec.priority = o.priority;
  for (const key of ["observe", "guard", "once"]) if (o[key]) spec[key] = true;
  registered.push({ handler, spec });
  return handler;
}

const seconds = (ms) => (ms === undefined ? undefined : ms / 1000);
const milliseconds = (s) => (s === undefined ? undefined : Math.trunc(s * 1000));

/** Go on without asking. */
export const allow = (reason, more) => ({ decision: "allow", reason, ...more });
/** Do not do it. The model is told the reason. */
export const deny = (reason, more) => ({ decision: "deny", reason, ...more });
/** Ask the person. */
export const ask = (reason, more) => ({ decision: "ask", reason, ...more });
/** Add lines to what the model reads next. */
export const context = (...lines) => ({ context: lines });

class Background {
  constructor(rest, timeout) {
    this.rest = rest;
    this.timeout = timeout;
  }
}

/**
 * Go on in the background: the event does not wait. rest is a promise or a function;
 * what comes of it is delivered late. timeout is in seconds.
 */
export const background = (rest, timeout) => new Background(rest, timeout);

/** The host could not do what ctx asked for. */
export class HostError extends Error {
  name = "HostError";
}

// Strings are matched so that digits in them are left alone.
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Decodes JSON with whole numbers beyond 2^53 as BigInt. */
function decode(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  // A text that nobody can have put into the message stands for such a number.
  const key = `big ${crypto.randomUUID()} `;
  let any = false;
  const marked = text.replace(tokens, (t) => {
    if (t.length < 16 || !/^-?\d+$/.test(t) || Number.isSafeInteger(Number(t))) return t;
    any = true;
    return `"${key}${t}"`;
  });
  if (!any) return JSON.parse(text);
  return JSON.parse(marked, (_, v) => (typeof v === "string" && v.startsWith(key) ? BigInt(v.slice(key.length)) : v));
}

/** Encodes a message; a BigInt becomes the number that it is. */
function encode(value) {
  try {
    return JSON.stringify(value);
  } catch (e) {
    if (!(e instanceof TypeError)) throw e; // of a BigInt, which is rare and makes it slow
  }
  let key;
  const text = JSON.stringify(value, (_, v) => (typeof v === "bigint" ? (key ??= `big ${crypto.randomUUID()} `) + v : v));
  return key ? text.replaceAll(new RegExp(`"${key}(-?\\d+)"`, "g"), "$1") : text;
}

/** A call that is being worked on. Few ask for its signal, which is made when they do. */
class Call {
  #abort;

  constructor(message) {
    this.message = message;
    this.takenBack = undefined; // an error that says why
  }
  get signal() {
    this.#abort ??= new AbortController();
    if (this.takenBack) this.#abort.abort(this.takenBack);
    return this.#abort.signal;
  }
  takeBack(why) {
    this.takenBack = why;
    this.#abort?.abort(why);
  }
}

/** What a handler may ask of the host while it works on a call. */
class Context {
  #worker;
  #call;

  constructor(worker, call) {
    this.#worker = worker;
    this.#call = call;
    /** How long the host will wait, in seconds; undefined is for ever. */
    this.timeout = seconds(call.message.timeout_ms);
  }

  /** Aborts when the host takes the call back. */
  get signal() {
    return this.#call.signal;
  }
  confirm(title, message = "") {
    return this.#ask("ui.confirm", { title, message });
  }
  select(title, options) {
    return this.#ask("ui.select", { title, options });
  }
  input(title, placeholder = "") {
    return this.#ask("ui.input", { title, placeholder });
  }
  notify(message, level = "info") {
    return this.#ask("ui.notify", { message, level });
  }
  exec(command, args = [], { dir, stdin, timeout } = {}) {
    return this.#ask("exec", { command, args, dir, stdin, timeout_ms: milliseconds(timeout) });
  }
  messages() {
    return this.#ask("session.messages", {});
  }
  metadata(key) {
    return this.#ask("session.metadata", { key });
  }
  log(message, level = "info") {
    this.#worker.send({ type: "log", level, message: String(message) });
  }
  progress(text) {
    this.#worker.send({ type: "progress", id: this.#call.message.id, text: String(text) });
  }
  #ask(method, params) {
    return this.#worker.request(this.#call, method, params);
  }
}

class Worker {
  #write = process.stdout.write.bind(process.stdout);
  #calls = new Map();
  #requests = new Map();
  #lastRequest = 0;
  #rest = []; // pieces of a line whose end has not come yet

  constructor() {
    process.stdout.write = process.stderr.write.bind(process.stderr);
  }

  send(message) {
    this.#write(encode(message) + "\n");
  }

  request(call, method, params) {
    return new Promise((resolve, reject) => {
      if (call.takenBack) return reject(call.takenBack);
      const id = ++this.#lastRequest;
      this.#requests.set(id, { call, resolve, reject });
      this.send({ type: "request", id, call: call.message.id, method, params });
    });
  }

  take(chunk) {
    let start = 0;
    for (let end; (end = chunk.indexOf(10, start)) >= 0; start = end + 1) {
      this.#rest.push(chunk.subarray(start, end));
      const line = this.#rest.length === 1 ? this.#rest[0] : Buffer.concat(this.#rest);
      this.#rest = [];
      if (line.length > 0) this.#message(decode(line.toString("utf8")));
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
  }

  #message(m) {
    switch (m.type) {
      case "call":
        void this.#handle(m);
        break;
      case "cancel":
        this.#cancel(m);
        break;
      case "reply": {
        const r = this.#requests.get(m.id);
        this.#requests.delete(m.id);
        if (m.error) r?.reject(new HostError(m.error));
        else r?.resolve(m.value ?? null);
        break;
      }
      case "shutdown":
        process.exit(0);
    }
  }

  #cancel(m) {
    const call = this.#calls.get(m.id);
    if (!call) return;
    call.takeBack(new Error(`taken back: ${m.reason ?? "no reason given"}`));
    for (const [id, r] of this.#requests) {
      if (r.call !== call) continue;
      this.#requests.delete(id);
      r.reject(call.takenBack);
    }
  }

  async #handle(message) {
    const call = new Call(message);
    const id = message.id;
    this.#calls.set(id, call);
    try {
      let answer = await registered[message.hook].handler(message.input, new Context(this, call));
      if (answer instanceof Background) {
        this.send({ type: "result", id, async: true, async_timeout_ms: milliseconds(answer.timeout) });
        answer = await (typeof answer.rest === "function" ? answer.rest() : answer.rest);
      }
      if (answer !== undefined && answer !== null && (typeof answer !== "object" || Array.isArray(answer))) {
        throw new TypeError(`a handler returned a ${typeof answer}: nothing or an object is expected`);
      }
      this.#calls.delete(id);
      const own = { type: "result", id };
      this.send({ ...own, ...answer, ...own }); // these come first, and are the ones that count
    } catch (e) {
      this.#calls.delete(id);
      if (!call.takenBack) console.error(e);
      this.send({ type: "error", id, message: e instanceof Error ? `${e.name}: ${e.message}` : String(e) });
    }
  }
}

/**
 * Says hello and answers calls until the host shuts the worker down. concurrency is how
 * many calls the worker takes at once.
 */
export function run({ name, version, concurrency = 8 } = {}) {
  const worker = new Worker();
  name ??= process.argv[1]?.replace(/^.*[\\/]/, "").replace(/\.[^.]*$/, "");
  worker.send({ type: "hello", protocol: PROTOCOL, name, version, concurrency, hooks: registered.map((r) => r.spec) });
  process.stdin.on("data", (chunk) => worker.take(chunk));
  process.stdin.on("end", () => process.exit(0));
}

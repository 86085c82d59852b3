// Runs in Node: the modules that asked for it, all in this process. Go speaks to
// it in lines on standard input, it answers on standard output. A worker reads,
// so that a synchronous call of a module can block until its answer is there.
"use strict";
const { Worker, MessageChannel, receiveMessageOnPort } = require("node:worker_threads");
const { Console } = require("node:console");
const { writeSync } = require("node:fs");
const { runInThisContext } = require("node:vm");

// Standard output is the protocol; what modules print goes to standard error.
globalThis.console = new Console(process.stderr, process.stderr);
process.stdout.write = process.stderr.write.bind(process.stderr);

const flag = new Int32Array(new SharedArrayBuffer(4));
const { port1: answers, port2 } = new MessageChannel();

function readLines() {
  const { readSync } = require("node:fs");
  const { parentPort, workerData: { flag, port2 } } = require("node:worker_threads");
  const nap = new Int32Array(new SharedArrayBuffer(4));
  const chunk = Buffer.allocUnsafe(1 << 16);
  let parts = [];
  const take = (line) => {
    if (line[0] !== "=") return parentPort.postMessage(line);
    port2.postMessage(line.slice(1));
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  };
  for (;;) {
    let n = 0;
    try {
      n = readSync(0, chunk, 0, chunk.length, null);
    } catch (e) {
      if (e.code === "EAGAIN") { Atomics.wait(nap, 0, 0, 2); continue; }
    }
    if (n === 0) return parentPort.postMessage("");
    let from = 0;
    for (let at; (at = chunk.subarray(0, n).indexOf(10, from)) >= 0; from = at + 1) {
      parts.push(Buffer.from(chunk.subarray(from, at)));
      take(Buffer.concat(parts).toString("utf8"));
      parts = [];
    }
    if (from < n) parts.push(Buffer.from(chunk.subarray(from, n)));
  }
}
const reader = new Worker(`(${readLines})()`, { eval: true, workerData: { flag, port2 }, transferList: [port2] });

function send(message) {
  const data = Buffer.from(JSON.stringify(message) + "\n");
  for (let at = 0; at < data.length;) {
    try {
      at += writeSync(1, data, at);
    } catch (e) {
      if (e.code !== "EAGAIN") process.exit(1);
    }
  }
}

// host calls Go and blocks until the answer is there.
const hostOf = (id) => (op, ...args) => {
  send({ t: "host", id, op, args });
  for (;;) {
    const got = receiveMessageOnPort(answers);
    if (got) {
      const { v, e } = JSON.parse(got.message);
      if (e !== undefined) throw new TypeError(e);
      return v;
    }
    Atomics.wait(flag, 0, 0);
    Atomics.store(flag, 0, 0);
  }
};

const describe = (e) => ({ name: String(e?.name ?? ""), message: String(e?.message ?? e), code: String(e?.code ?? ""), stack: String(e?.stack ?? "") });
const runtimes = new Map();

const actions = {
  boot({ id, runtime }) {
    globalThis.__hl_host = hostOf(id);
    globalThis.__hl_require = require;
    runInThisContext(runtime, { filename: "hookline:runtime" });
    runtimes.set(id, globalThis.__hl_rt);
    delete globalThis.__hl_rt;
    delete globalThis.__hl_rejection;
  },
  eval({ id, source }) { runInThisContext(source, { filename: "hookline:module/" + id }); },
  call({ id, fn, args }) { return runtimes.get(id)[fn](...args); },
  drop({ id }) { runtimes.delete(id); },
  ping() {},
};

reader.on("message", (line) => {
  if (line === "") process.exit(0);
  const message = JSON.parse(line);
  const reply = { t: "reply", id: message.id, n: message.n };
  try {
    const v = actions[message.t](message);
    if (typeof v === "string") reply.v = v;
  } catch (e) {
    reply.e = describe(e);
  }
  send(reply);
});

// lost tells the module whose code was in charge, by the script's name.
const lost = (op) => (e) => {
  const id = Number(/hookline:module\/(\d+)/.exec(e?.stack ?? "")?.[1] ?? runtimes.keys().next().value);
  if (runtimes.has(id)) hostOf(id)(op, ...(op === "callback" ? ["an uncaught error"] : []), JSON.stringify(describe(e)));
};
process.on("unhandledRejection", lost("rejection"));
process.on("uncaughtException", lost("callback"));

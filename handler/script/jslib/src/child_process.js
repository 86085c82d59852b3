// node:child_process. The host starts and reaps the processes; here are the
// forms of the call and the streams.
import { call, sync } from "hookline:host";
import { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { toWire } from "internal:encoding";
import { invalidArgType, invalidArgValue, nodeError, requireFunction, requireString } from "internal:errors";
import { bufferOf, pathOf } from "internal:fsops";

const windows = sync("node.os.platform") === "win32";
const maxBufferDefault = 1024 * 1024;

// request turns a call's arguments into what the host needs to start it.
function request(file, args, options) {
  requireString(file, "file");
  if (file === "") throw nodeError(TypeError, "ERR_INVALID_ARG_VALUE", "The argument 'file' cannot be empty. Received ''");
  [file, ...args].forEach((text, i) => {
    if (String(text).includes("\0")) {
      const name = i === 0 ? "file" : `args[${i - 1}]`;
      throw invalidArgValue(name, String(text).replaceAll("\0", "\\x00"), "must be a string without null bytes");
    }
  });
  let verbatim = Boolean(options.windowsVerbatimArguments);
  let argv = args.map(String);
  if (options.shell) {
    const command = [file, ...argv].join(" ");
    if (windows) {
      file = typeof options.shell === "string" ? options.shell : globalThis.process.env.ComSpec || "cmd.exe";
      if (/^(?:.*\\)?cmd(?:\.exe)?$/i.test(file)) {
        argv = ["/d", "/s", "/c", `"${command}"`];
        verbatim = true;
      } else argv = ["-c", command];
    } else {
      file = typeof options.shell === "string" ? options.shell : "/bin/sh";
      argv = ["-c", command];
    }
  }
  const env = {};
  for (const [key, value] of Object.entries(options.env ?? globalThis.process.env)) {
    if (value !== undefined) env[key] = String(value);
  }
  const cwd = options.cwd === undefined || options.cwd === null ? globalThis.process.cwd() : pathOf(options.cwd, "options.cwd");
  return { file, args: argv, argv0: options.argv0 ?? "", cwd, env, verbatim, stdio: stdioOf(options.stdio) };
}

function stdioOf(stdio = "pipe") {
  const list = Array.isArray(stdio) ? stdio : [stdio, stdio, stdio];
  return [0, 1, 2].map((i) => {
    const kind = list[i] ?? "pipe";
    if (kind === "pipe" || kind === "overlapped" || kind === "ignore" || kind === "inherit") return kind === "overlapped" ? "pipe" : kind;
    if (kind === i || kind?.fd === i) return "inherit";
    throw nodeError(TypeError, "ERR_INVALID_ARG_VALUE", `stdio[${i}]: only "pipe", "ignore" and "inherit" are supported here`);
  });
}

// split sorts out (file, args?, options?).
function split(args, options) {
  if (!Array.isArray(args)) {
    if (args !== undefined && args !== null && typeof args !== "object") throw invalidArgType("args", "of type object", args);
    return [[], { ...(args ?? options) }];
  }
  if (options !== undefined && options !== null && typeof options !== "object") throw invalidArgType("options", "of type object", options);
  return [args, { ...options }];
}

const signalName = (signal) => {
  if (typeof signal !== "number") return String(signal ?? "SIGTERM");
  const { signals } = globalThis[Symbol.for("hookline.host")].builtin("os").constants;
  return Object.keys(signals).find((name) => signals[name] === signal) ?? String(signal);
};

class ChildProcess extends EventEmitter {
  #id = null;
  #streams = 0;
  #ended = false;
  killed = false;
  exitCode = null;
  signalCode = null;
  connected = false;

  _start(sent, options) {
    this.spawnfile = sent.file;
    this.spawnargs = [sent.argv0 || sent.file, ...sent.args];
    let failure = null;
    try {
      const { id, pid } = sync("node.child.start", sent);
      this.#id = id;
      this.pid = pid;
    } catch (err) {
      if (err.code === "ERR_ACCESS_DENIED" || err.name !== "Error") throw err;
      failure = err;
    }
    this.stdin = sent.stdio[0] === "pipe" ? this.#writer() : null;
    this.stdout = this.#reader(1, sent.stdio[1], failure);
    this.stderr = this.#reader(2, sent.stdio[2], failure);
    this.stdio = [this.stdin, this.stdout, this.stderr];
    if (failure) this.#fail(failure, sent);
    else this.#watch(options);
  }

  #fail(failure, sent) {
    Object.assign(failure, { syscall: `spawn ${sent.file}`, path: sent.file, spawnargs: sent.args });
    failure.message = `spawn ${sent.file} ${failure.code}`;
    this.exitCode = failure.errno ?? -1;
    globalThis.queueMicrotask(() => {
      this.emit("error", failure);
      this.stdin?.destroy();
      this.#ended = true;
      this.#closeWhenDone();
    });
  }

  #watch({ signal, timeout, killSignal }) {
    globalThis.queueMicrotask(() => this.emit("spawn"));
    const timer = timeout > 0 ? globalThis.setTimeout(() => this.kill(killSignal), timeout) : undefined;
    const onAbort = () => {
      if (this.kill(killSignal)) {
        const err = nodeError(Error, "ABORT_ERR", "The operation was aborted", { cause: signal.reason });
        err.name = "AbortError";
        this.emit("error", err);
      }
    };
    if (signal?.aborted) globalThis.queueMicrotask(onAbort);
    else signal?.addEventListener("abort", onAbort, { once: true });
    call("node.child.wait", { id: this.#id }).then(({ code, signal: by }) => {
      globalThis.clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      this.exitCode = by ? null : code;
      this.signalCode = by || null;
      this.stdin?.destroy();
      this.#ended = true;
      this.emit("exit", this.exitCode, this.signalCode);
      this.#closeWhenDone();
    }, (err) => this.emit("error", err));
  }

  #closeWhenDone() {
    if (this.#ended && this.#streams === 0) {
      globalThis.queueMicrotask(() => this.emit("close", this.exitCode, this.signalCode));
    }
  }

  #writer() {
    return new Writable({
      write: (chunk, encoding, done) => {
        call("node.child.write", { id: this.#id, data: toWire(chunk) }).then(() => done(), done);
      },
      final: (done) => {
        call("node.child.end", { id: this.#id }).then(() => done(), done);
      },
    });
  }

  // #reader pulls, so that a module which does not read slows the child down
  // instead of filling memory.
  #reader(fd, kind, failure) {
    if (kind === "ignore") return null;
    const pull = () => call("node.child.read", { id: this.#id, fd });
    this.#streams++;
    const done = () => {
      this.#streams--;
      this.#closeWhenDone();
    };
    if (kind === "inherit") {
      const sink = fd === 1 ? globalThis.process.stdout : globalThis.process.stderr;
      const pump = (chunk) => (chunk === null ? done() : (sink.write(bufferOf(chunk)), pull().then(pump, done)));
      if (failure) globalThis.queueMicrotask(done);
      else pull().then(pump, done);
      return null;
    }
    const stream = new Readable({
      read() {
        if (failure) this.push(null);
        else pull().then((chunk) => this.push(chunk === null ? null : bufferOf(chunk)), (err) => this.destroy(err));
      },
    });
    stream.once("close", done);
    // Unread output must not keep "close" from coming.
    this.once("exit", () => stream._flushIfUnused?.());
    return stream;
  }

  kill(signal = "SIGTERM") {
    const name = signalName(signal);
    if (this.#id === null || this.#ended) return false;
    const sent = sync("node.child.kill", { id: this.#id, signal: name });
    if (sent) this.killed = true;
    return sent;
  }
  ref() {}
  unref() {}
  disconnect() {}
  send() { throw nodeError(Error, "ERR_IPC_CHANNEL_CLOSED", "Channel closed: there is no IPC channel to a child here"); }
  [Symbol.dispose]() { this.kill(); }
}

function spawn(file, args, options) {
  const [argv, opts] = split(args, options);
  const child = new ChildProcess();
  child._start(request(file, argv, opts), opts);
  return child;
}

// collect gathers a child's output for exec and execFile.
function collect(child, command, options, callback) {
  const { encoding = "utf8", maxBuffer = maxBufferDefault, killSignal = "SIGTERM", timeout = 0 } = options;
  const chunks = { stdout: [], stderr: [] };
  let failure = null;
  let timer;
  if (timeout > 0) timer = globalThis.setTimeout(() => child.kill(killSignal), timeout);
  for (const name of ["stdout", "stderr"]) {
    let size = 0;
    child[name]?.on("data", (chunk) => {
      if (failure?.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return;
      const room = maxBuffer - size;
      size += chunk.length;
      chunks[name].push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      if (size <= maxBuffer) return;
      failure = nodeError(RangeError, "ERR_CHILD_PROCESS_STDIO_MAXBUFFER", `${name} maxBuffer length exceeded`);
      child.kill(killSignal);
    });
  }
  const text = (name) => {
    const all = Buffer.concat(chunks[name]);
    return encoding === "buffer" || !Buffer.isEncoding(encoding) ? all : all.toString(encoding);
  };
  let settled = false;
  const settle = (err) => {
    if (settled) return;
    settled = true;
    globalThis.clearTimeout(timer);
    callback?.(err, text("stdout"), text("stderr"));
  };
  child.on("error", (err) => {
    failure = err;
    if (child.pid === undefined) settle(Object.assign(err, { cmd: command }));
  });
  child.on("close", (code, signal) => {
    if (!failure && (code !== 0 || signal)) {
      const err = new Error(`Command failed: ${command}\n${text("stderr")}`);
      failure = Object.assign(err, { code, killed: child.killed, signal });
    }
    if (failure) Object.assign(failure, { cmd: command });
    settle(failure);
  });
  return child;
}

function execFile(file, args, options, callback) {
  const rest = [args, options, callback].filter((arg) => arg !== undefined && arg !== null);
  const argv = Array.isArray(rest[0]) ? rest.shift() : [];
  const opts = typeof rest[0] === "object" ? { ...rest.shift() } : {};
  const done = rest[0];
  if (done !== undefined) requireFunction(done, "callback");
  const { timeout, ...spawnOptions } = opts;
  const child = spawn(file, argv, { ...spawnOptions, stdio: "pipe" });
  return collect(child, opts.command ?? [file, ...argv].join(" "), { ...opts, timeout }, done);
}

function exec(command, options, callback) {
  requireString(command, "command");
  if (typeof options === "function") [options, callback] = [undefined, options];
  return execFile(command, [], { ...options, shell: options?.shell || true, command }, callback);
}

// The promise forms resolve to both streams and carry the child.
for (const [fn, ask] of [[exec, 2], [execFile, 3]]) {
  Object.defineProperty(fn, Symbol.for("nodejs.util.promisify.custom"), {
    value: (...args) => {
      let child;
      const promise = new Promise((resolve, reject) => {
        child = fn(...args.slice(0, ask), (err, stdout, stderr) => {
          if (err) reject(Object.assign(err, { stdout, stderr }));
          else resolve({ stdout, stderr });
        });
      });
      return Object.assign(promise, { child });
    },
  });
}

function spawnSync(file, args, options) {
  const [argv, opts] = split(args, options);
  const sent = request(file, argv, opts);
  const { input, timeout = 0, maxBuffer = maxBufferDefault, killSignal, encoding } = opts;
  if (input !== undefined && input !== null) {
    const bytes = typeof input === "string" ? Buffer.from(input, Buffer.isEncoding(encoding) ? encoding : "utf8") : Buffer.from(input.buffer, input.byteOffset, input.byteLength);
    sent.input = toWire(bytes);
  }
  const limit = Number.isFinite(maxBuffer) ? maxBuffer : 0;
  let raw;
  try {
    raw = sync("node.child.spawnSync", { ...sent, timeout, maxBuffer: limit, killSignal: signalName(killSignal) });
  } catch (err) {
    if (err.code === "ERR_ACCESS_DENIED" || err.name !== "Error") throw err;
    const syscall = `spawnSync ${sent.file}`;
    const error = Object.assign(new Error(`${syscall} ${err.code}`), { errno: err.errno, code: err.code, syscall, path: sent.file, spawnargs: sent.args });
    return { error, status: null, signal: null, output: null, pid: 0, stdout: null, stderr: null };
  }
  const text = (wire, i) => {
    if (sent.stdio[i] === "inherit" && wire !== "") globalThis.process[i === 1 ? "stdout" : "stderr"].write(bufferOf(wire));
    if (sent.stdio[i] !== "pipe") return null;
    const buffer = bufferOf(wire);
    return encoding && encoding !== "buffer" ? buffer.toString(encoding) : buffer;
  };
  const result = {
    pid: raw.pid, status: raw.signal ? null : raw.code, signal: raw.signal || null,
    stdout: text(raw.stdout, 1), stderr: text(raw.stderr, 2),
  };
  result.output = [null, result.stdout, result.stderr];
  if (raw.error) {
    const syscall = `spawnSync ${sent.file}`;
    result.error = Object.assign(new Error(`${syscall} ${raw.error}`), { errno: raw.errno, code: raw.error, syscall, path: sent.file, spawnargs: sent.args });
  }
  return result;
}

function checkSync(result, command, options) {
  if (options.stdio === undefined && result.stderr?.length > 0) globalThis.process.stderr.write(result.stderr);
  if (!result.error && result.status === 0 && !result.signal) return result.stdout;
  let err = result.error;
  if (!err) {
    const text = result.stderr?.length > 0 ? `\n${result.stderr.toString()}` : "";
    err = new Error(`Command failed: ${command}${text}`);
  }
  throw Object.assign(err, result, { error: undefined });
}

function execFileSync(file, args, options) {
  const [argv, opts] = split(args, options);
  return checkSync(spawnSync(file, argv, opts), [file, ...argv].join(" "), opts);
}

function execSync(command, options) {
  requireString(command, "command");
  const opts = { ...options };
  return checkSync(spawnSync(command, [], { ...opts, shell: opts.shell || true }), command, opts);
}

function fork() {
  throw nodeError(Error, "ERR_FEATURE_UNAVAILABLE", "child_process.fork needs Node.js itself; use spawn, or set the module's runtime to node");
}

export { ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };

// node:process
import { EventEmitter } from "node:events";
import { invalidArgType, nodeError } from "internal:errors";
import { sync } from "hookline:host";

const info = sync("node.process.info");
const windows = info.platform === "win32";

// env is a copy: what a module sets stays in the module and its children.
function makeEnv(values) {
  const fold = windows ? (key) => (typeof key === "string" ? Object.keys(values).find((k) => k.toUpperCase() === key.toUpperCase()) ?? key : key) : (key) => key;
  return new Proxy(values, {
    get: (target, key) => target[fold(key)],
    has: (target, key) => fold(key) in target,
    deleteProperty: (target, key) => delete target[fold(key)],
    set(target, key, value) {
      if (typeof key === "symbol" || typeof value === "symbol") throw new TypeError("Cannot convert a Symbol value to a string");
      target[fold(key)] = String(value);
      return true;
    },
    defineProperty(target, key, descriptor) {
      return Reflect.defineProperty(target, fold(key), { ...descriptor, value: String(descriptor.value) });
    },
    getOwnPropertyDescriptor: (target, key) => Reflect.getOwnPropertyDescriptor(target, fold(key)),
  });
}

// Output becomes log lines; a line is written when it ends, or when the code
// that writes it pauses.
function makeOutput(fd, level) {
  let pending = "";
  let scheduled = false;
  const stream = new EventEmitter();
  const flush = () => {
    scheduled = false;
    if (pending !== "") sync("node.log", { level, message: pending });
    pending = "";
  };
  return Object.assign(stream, {
    fd,
    isTTY: false,
    writable: true,
    columns: undefined,
    write(chunk, encoding, callback) {
      if (typeof encoding === "function") callback = encoding;
      pending += typeof chunk === "string" ? chunk : globalThis.Buffer.from(chunk).toString();
      const lines = pending.split("\n");
      pending = lines.pop();
      if (lines.length > 0) sync("node.log", { level, message: lines.join("\n") });
      if (pending !== "" && !scheduled) {
        scheduled = true;
        globalThis.queueMicrotask(flush);
      }
      if (callback) globalThis.queueMicrotask(() => callback());
      return true;
    },
    end(chunk, encoding, callback) {
      if (chunk !== undefined && typeof chunk !== "function") this.write(chunk);
      flush();
      const done = [chunk, encoding, callback].find((arg) => typeof arg === "function");
      if (done) globalThis.queueMicrotask(() => done());
      return this;
    },
    cork() {},
    uncork() {},
    hasColors: () => false,
    getColorDepth: () => 1,
  });
}

const process = new EventEmitter();
let cwd = info.cwd;
let umask = 0o022;
let exitCode;

const now = () => BigInt(sync("node.process.hrtime"));
function hrtime(previous) {
  const t = now();
  const at = [Number(t / 1000000000n), Number(t % 1000000000n)];
  if (previous === undefined) return at;
  if (!Array.isArray(previous)) throw invalidArgType("time", "an instance of Array", previous);
  const [s, ns] = [at[0] - previous[0], at[1] - previous[1]];
  return ns < 0 ? [s - 1, ns + 1e9] : [s, ns];
}
hrtime.bigint = now;
const startedAt = now();

const memory = () => sync("node.process.memory");
memory.rss = () => memory().rss;

Object.assign(process, {
  title: "hookline",
  version: "v20.20.2",
  versions: { node: "20.20.2", hookline: "1", quickjs: "2026", modules: "115" },
  release: { name: "node" },
  arch: info.arch,
  platform: info.platform,
  pid: info.pid,
  ppid: info.ppid,
  argv: [info.execPath, info.script || info.cwd],
  argv0: "node",
  execArgv: [],
  execPath: info.execPath,
  env: makeEnv(info.env),
  features: {},
  config: { variables: {} },
  stdout: makeOutput(1, "info"),
  stderr: makeOutput(2, "error"),
  stdin: Object.assign(new EventEmitter(), {
    fd: 0, isTTY: false, readable: false,
    read: () => null, resume() { return this; }, pause() { return this; }, setEncoding() { return this; }, unref() { return this; }, ref() { return this; },
    async *[Symbol.asyncIterator]() {},
  }),

  cwd: () => cwd,
  // chdir moves this module only; relative paths follow it.
  chdir(dir) {
    cwd = sync("node.process.chdir", { path: String(dir) });
  },
  exit(code = exitCode ?? 0) {
    process.emit("exit", Number(code));
    throw nodeError(Error, "ERR_PROCESS_EXIT", `process.exit(${code}) was called: a hook module cannot end the host`, { exitCode: Number(code) });
  },
  abort: () => process.exit(134),
  nextTick(fn, ...args) {
    if (typeof fn !== "function") throw invalidArgType("callback", "of type function", fn);
    globalThis.queueMicrotask(() => fn(...args));
  },
  hrtime,
  uptime: () => Number(now() - startedAt) / 1e9,
  memoryUsage: memory,
  resourceUsage: () => ({ userCPUTime: 0, systemCPUTime: 0, maxRSS: Math.round(memory().rss / 1024) }),
  cpuUsage: () => ({ user: 0, system: 0 }),
  umask(mask) {
    const old = umask;
    if (mask !== undefined) umask = typeof mask === "string" ? parseInt(mask, 8) : mask;
    return old;
  },
  // kill only probes or signals the module's own children.
  kill(pid, signal = "SIGTERM") {
    return sync("node.child.killPid", { pid: Number(pid), signal: typeof signal === "number" ? String(signal) : signal });
  },
  emitWarning(warning, type = "Warning", code) {
    if (typeof type === "object" && type !== null) ({ type = "Warning", code } = type);
    const name = warning instanceof Error ? warning.name : type;
    const text = warning instanceof Error ? warning.message : String(warning);
    sync("node.log", { level: "warn", message: `${code ? `[${code}] ` : ""}${name}: ${text}` });
    const err = warning instanceof Error ? warning : Object.assign(new Error(text), { name, code });
    globalThis.queueMicrotask(() => process.emit("warning", err));
  },
  binding() {
    throw nodeError(Error, "ERR_INVALID_MODULE", "No such module: process.binding is not available here");
  },
});
if (!windows) {
  const { uid, gid } = info;
  Object.assign(process, { getuid: () => uid, geteuid: () => uid, getgid: () => gid, getegid: () => gid, getgroups: () => [gid] });
}
Object.defineProperty(process, "exitCode", {
  enumerable: true, configurable: true,
  get: () => exitCode,
  set(code) { exitCode = code === undefined || code === null ? undefined : Number(code); },
});
Object.defineProperty(process, Symbol.toStringTag, { value: "process", configurable: true });

const {
  arch, argv, argv0, chdir, cpuUsage, cwd: currentDir, emitWarning, env, execArgv, execPath, exit, kill, memoryUsage, nextTick, pid,
  platform, ppid, release, stderr, stdin, stdout, title, umask: maskOf, uptime, version, versions,
} = process;
const on = process.on.bind(process);
const once = process.once.bind(process);
const off = process.off.bind(process);
const emit = process.emit.bind(process);

export {
  arch, argv, argv0, chdir, cpuUsage, currentDir as cwd, emitWarning, env, execArgv, execPath, exit, hrtime, kill, memoryUsage,
  nextTick, pid, platform, ppid, release, stderr, stdin, stdout, title, maskOf as umask, uptime, version, versions, on, once, off, emit,
};
export default process;

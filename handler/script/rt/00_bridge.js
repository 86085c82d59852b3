// The bridge to Go, and what of the language itself the runtime relies on. It
// runs before any code of the module, which may change every global later.
const host = globalThis.__hl_host;
delete globalThis.__hl_host;
const nativeRequire = globalThis.__hl_require; // in Node only
delete globalThis.__hl_require;

const { parse, stringify } = JSON;
const { apply, ownKeys, getOwnPropertyDescriptor, getPrototypeOf, deleteProperty } = Reflect;
const { create, defineProperty, freeze, assign } = Object;
const { isArray } = Array;
const { floor, max, min } = Math;
const PromiseOf = Promise;
const { then: promiseThen } = Promise.prototype;
const promiseResolve = Promise.resolve;

const then = (promise, ok, fail) => apply(promiseThen, promise, [ok, fail]);
const resolved = (value) => apply(promiseResolve, PromiseOf, [value]);
const isObject = (v) => (typeof v === "object" && v !== null) || typeof v === "function";

// Numbers for everything that Go answers later: operations and timers.
let lastId = 0;
const operations = create(null);
const timers = create(null);

// describe turns a thrown value into what Go reads. Reading it may throw too.
function describe(e) {
  try {
    if (isObject(e)) {
      const { name, message, code, stack } = e;
      if (message !== undefined || stack !== undefined) {
        return {
          name: String(name ?? "Error"), message: String(message ?? ""),
          code: typeof code === "string" ? code : "", stack: String(stack ?? ""),
        };
      }
      return { name: "", message: stringify(e) ?? String(e), code: "", stack: "" };
    }
    return { name: "", message: String(e), code: "", stack: "" };
  } catch {
    return { name: "", message: "a value that cannot be described", code: "", stack: "" };
  }
}

// inCallback runs code of the module that nobody waits for.
function inCallback(what, fn, ...args) {
  try {
    return fn(...args);
  } catch (e) {
    host("callback", what, stringify(describe(e)));
  }
}

globalThis.__host = {
  sync: (op, args) => host("sync", op, args),
  async(op, args, onSettle, onEvent) {
    const id = ++lastId;
    operations[id] = { onSettle, onEvent };
    host("async", id, op, args, 0);
    return id;
  },
  abort: (id) => void host("abort", id),
};

// node:async_hooks. The engine has no hook into its promise jobs, so a store
// follows synchronous calls, bound functions, and timers and callbacks that
// are bound explicitly; across a bare `await` it is the store of whoever runs.
let current = new Map();

function runWith(frame, fn, args) {
  const before = current;
  current = frame;
  const restore = () => void (current = before);
  let result;
  try {
    result = fn(...args);
  } catch (err) {
    restore();
    throw err;
  }
  restore();
  return result;
}

class AsyncLocalStorage {
  #default = undefined;
  getStore() { return current.has(this) ? current.get(this) : this.#default; }
  run(store, fn, ...args) { return runWith(new Map(current).set(this, store), fn, args); }
  exit(fn, ...args) {
    const frame = new Map(current);
    frame.delete(this);
    return runWith(frame, fn, args);
  }
  enterWith(store) { current = new Map(current).set(this, store); }
  disable() { current.delete(this); }
  static bind(fn) {
    const frame = current;
    return function (...args) { return runWith(frame, fn.bind(this), args); };
  }
  static snapshot() {
    const frame = current;
    return (fn, ...args) => runWith(frame, fn, args);
  }
}

class AsyncResource {
  #frame = current;
  constructor(type) { this.type = type; }
  runInAsyncScope(fn, thisArg, ...args) { return runWith(this.#frame, fn.bind(thisArg), args); }
  bind(fn, thisArg) { return (...args) => this.runInAsyncScope(fn, thisArg, ...args); }
  emitDestroy() { return this; }
  asyncId() { return 1; }
  triggerAsyncId() { return 0; }
  static bind(fn, type, thisArg) { return new AsyncResource(type ?? fn.name).bind(fn, thisArg); }
}

const createHook = () => ({ enable() { return this; }, disable() { return this; } });
const executionAsyncId = () => 1;
const triggerAsyncId = () => 0;

export { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId, triggerAsyncId };

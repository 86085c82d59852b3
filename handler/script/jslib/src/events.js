// node:events. EventEmitter is a plain function, so that old-style inheritance
// (EventEmitter.call(this), util.inherits) works as well as `extends`.
import { invalidArgType, nodeError, outOfRange, requireFunction } from "internal:errors";

const errorMonitor = Symbol("events.errorMonitor");
const captureRejectionSymbol = Symbol.for("nodejs.rejection");

function EventEmitter() {
  EventEmitter.init.call(this);
}

EventEmitter.init = function init() {
  if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
    this._events = Object.create(null);
    this._eventsCount = 0;
  }
  this._maxListeners ??= undefined;
};

let defaultMaxListeners = 10;

function add(emitter, type, listener, prepend) {
  requireFunction(listener, "listener");
  if (emitter._events === undefined) {
    emitter._events = Object.create(null);
    emitter._eventsCount = 0;
  } else if (emitter._events.newListener !== undefined) {
    emitter.emit("newListener", type, listener.listener ?? listener);
  }
  const list = emitter._events[type];
  if (list === undefined) {
    emitter._events[type] = [listener];
    emitter._eventsCount++;
    return emitter;
  }
  // Lists are replaced, never changed: an emit in progress keeps its own.
  emitter._events[type] = prepend ? [listener, ...list] : [...list, listener];
  const limit = emitter.getMaxListeners();
  if (limit > 0 && list.length + 1 > limit && !list.warned) {
    emitter._events[type].warned = true;
    globalThis.process.emitWarning(
      `Possible EventEmitter memory leak detected. ${list.length + 1} ${String(type)} listeners added to ` +
        `${emitter.constructor?.name ?? "[EventEmitter]"}. MaxListeners is ${limit}. Use emitter.setMaxListeners() to increase limit`,
      "MaxListenersExceededWarning",
    );
  } else if (list.warned) {
    emitter._events[type].warned = true;
  }
  return emitter;
}

function onceWrapper(emitter, type, listener) {
  requireFunction(listener, "listener");
  let fired = false;
  const wrapper = function (...args) {
    if (fired) return undefined;
    fired = true;
    emitter.removeListener(type, wrapper);
    return listener.apply(emitter, args);
  };
  wrapper.listener = listener;
  return wrapper;
}

function unhandled(args) {
  const [err] = args;
  if (err instanceof Error) return err;
  const text = args.length === 0 ? "undefined" : typeof err === "string" ? `'${err}'` : describeValue(err);
  return nodeError(Error, "ERR_UNHANDLED_ERROR", `Unhandled error. (${text})`, { context: err });
}

function describeValue(value) {
  return globalThis[Symbol.for("hookline.host")].builtin("internal:inspect").inspect(value);
}

const methods = {
  emit(type, ...args) {
    const events = this._events;
    if (type === "error") {
      if (events?.[errorMonitor] !== undefined) this.emit(errorMonitor, ...args);
      if (events?.error === undefined) throw unhandled(args);
    }
    const list = events?.[type];
    if (list === undefined) return false;
    for (const listener of list) listener.apply(this, args);
    return true;
  },
  addListener(type, listener) {
    return add(this, type, listener, false);
  },
  prependListener(type, listener) {
    return add(this, type, listener, true);
  },
  once(type, listener) {
    return add(this, type, onceWrapper(this, type, listener), false);
  },
  prependOnceListener(type, listener) {
    return add(this, type, onceWrapper(this, type, listener), true);
  },
  removeListener(type, listener) {
    requireFunction(listener, "listener");
    const list = this._events?.[type];
    if (list === undefined) return this;
    const index = list.findLastIndex((l) => l === listener || l.listener === listener);
    if (index < 0) return this;
    if (list.length === 1) {
      delete this._events[type];
      this._eventsCount--;
    } else {
      const rest = list.toSpliced(index, 1);
      if (list.warned) rest.warned = true;
      this._events[type] = rest;
    }
    if (this._events.removeListener !== undefined) this.emit("removeListener", type, listener);
    return this;
  },
  removeAllListeners(type) {
    if (this._events === undefined) return this;
    if (this._events.removeListener === undefined) {
      if (type === undefined) {
        this._events = Object.create(null);
        this._eventsCount = 0;
      } else if (this._events[type] !== undefined) {
        delete this._events[type];
        this._eventsCount--;
      }
      return this;
    }
    if (type === undefined) {
      for (const key of Reflect.ownKeys(this._events)) {
        if (key !== "removeListener") this.removeAllListeners(key);
      }
      return this.removeAllListeners("removeListener");
    }
    for (const listener of [...(this._events[type] ?? [])].reverse()) this.removeListener(type, listener);
    return this;
  },
  setMaxListeners(n) {
    if (typeof n !== "number" || n < 0 || Number.isNaN(n)) throw outOfRange("n", "a non-negative number", n);
    this._maxListeners = n;
    return this;
  },
  getMaxListeners() {
    return this._maxListeners ?? defaultMaxListeners;
  },
  listeners(type) {
    return (this._events?.[type] ?? []).map((l) => l.listener ?? l);
  },
  rawListeners(type) {
    return [...(this._events?.[type] ?? [])];
  },
  listenerCount(type, listener) {
    const list = this._events?.[type] ?? [];
    return listener ? list.filter((l) => l === listener || l.listener === listener).length : list.length;
  },
  eventNames() {
    return this._eventsCount > 0 ? Reflect.ownKeys(this._events) : [];
  },
};
methods.on = methods.addListener;
methods.off = methods.removeListener;
for (const [name, value] of Object.entries(methods)) {
  Object.defineProperty(EventEmitter.prototype, name, { value, writable: true, enumerable: true, configurable: true });
}
Object.assign(EventEmitter.prototype, { _events: undefined, _eventsCount: 0, _maxListeners: undefined });

// ---- statics --------------------------------------------------------------
function abortError(signal) {
  const err = nodeError(Error, "ABORT_ERR", "The operation was aborted", { cause: signal.reason });
  err.name = "AbortError";
  return err;
}

function listen(target, type, listener, options) {
  if (typeof target.on === "function") {
    if (options?.once) target.once(type, listener);
    else target.on(type, listener);
  } else if (typeof target.addEventListener === "function") {
    target.addEventListener(type, listener, options);
  } else {
    throw invalidArgType("emitter", "an instance of EventEmitter", target);
  }
}

function unlisten(target, type, listener) {
  if (typeof target.removeListener === "function") target.removeListener(type, listener);
  else target.removeEventListener(type, listener);
}

// once waits for one event: a promise of the listener's arguments.
function once(emitter, type, { signal } = {}) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortError(signal));
    const done = () => {
      unlisten(emitter, type, onEvent);
      if (type !== "error" && typeof emitter.once === "function") unlisten(emitter, "error", onError);
      signal?.removeEventListener("abort", onAbort);
    };
    const onEvent = (...args) => (done(), resolve(args));
    const onError = (err) => (done(), reject(err));
    const onAbort = () => (done(), reject(abortError(signal)));
    listen(emitter, type, onEvent, { once: true });
    if (type !== "error" && typeof emitter.once === "function") emitter.once("error", onError);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

// on iterates over events, keeping those that arrive between two steps.
function on(emitter, type, { signal, close } = {}) {
  if (signal?.aborted) throw abortError(signal);
  const queue = [];
  const waiting = [];
  let failure = null;
  let finished = false;

  const onEvent = (...args) => {
    const next = waiting.shift();
    if (next) next.resolve({ value: args, done: false });
    else queue.push(args);
  };
  const onError = (err) => {
    const next = waiting.shift();
    if (next) next.reject(err);
    else failure = err;
    finish();
  };
  const onAbort = () => onError(abortError(signal));
  const finish = () => {
    if (finished) return;
    finished = true;
    unlisten(emitter, type, onEvent);
    unlisten(emitter, "error", onError);
    for (const name of close ?? []) unlisten(emitter, name, finish);
    signal?.removeEventListener("abort", onAbort);
    for (const next of waiting.splice(0)) next.resolve({ value: undefined, done: true });
  };

  listen(emitter, type, onEvent);
  if (type !== "error" && typeof emitter.on === "function") emitter.on("error", onError);
  for (const name of close ?? []) listen(emitter, name, finish);
  signal?.addEventListener("abort", onAbort, { once: true });

  return {
    next() {
      if (queue.length > 0) return Promise.resolve({ value: queue.shift(), done: false });
      if (failure) {
        const err = failure;
        failure = null;
        return Promise.reject(err);
      }
      if (finished) return Promise.resolve({ value: undefined, done: true });
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    return() {
      finish();
      return Promise.resolve({ value: undefined, done: true });
    },
    throw(err) {
      onError(err);
      return Promise.resolve({ value: undefined, done: true });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function getEventListeners(target, type) {
  if (typeof target.listeners === "function") return target.listeners(type);
  throw invalidArgType("emitter", "an instance of EventEmitter", target);
}

const listenerCount = (emitter, type) => emitter.listenerCount(type);

function setMaxListeners(n = defaultMaxListeners, ...targets) {
  if (typeof n !== "number" || n < 0 || Number.isNaN(n)) throw outOfRange("n", "a non-negative number", n);
  if (targets.length === 0) defaultMaxListeners = n;
  for (const target of targets) if (typeof target.setMaxListeners === "function") target.setMaxListeners(n);
}

const getMaxListeners = (target) => target.getMaxListeners?.() ?? defaultMaxListeners;

function addAbortListener(signal, listener) {
  if (signal.aborted) queueMicrotask(() => listener());
  else signal.addEventListener("abort", listener, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", listener) };
}

class EventEmitterAsyncResource extends EventEmitter {}

Object.assign(EventEmitter, {
  EventEmitter, once, on, getEventListeners, getMaxListeners, listenerCount, setMaxListeners, addAbortListener,
  errorMonitor, captureRejectionSymbol, EventEmitterAsyncResource, usingDomains: false, captureRejections: false,
});
Object.defineProperty(EventEmitter, "defaultMaxListeners", {
  enumerable: true,
  get: () => defaultMaxListeners,
  set(n) {
    if (typeof n !== "number" || n < 0 || Number.isNaN(n)) throw outOfRange("defaultMaxListeners", "a non-negative number", n);
    defaultMaxListeners = n;
  },
});

export {
  EventEmitter, once, on, getEventListeners, getMaxListeners, listenerCount, setMaxListeners, addAbortListener,
  errorMonitor, captureRejectionSymbol, defaultMaxListeners, EventEmitterAsyncResource,
};
export default EventEmitter;

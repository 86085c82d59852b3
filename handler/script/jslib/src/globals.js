// Installs the globals of a fresh VM. Everything heavy is a getter that loads
// its module on first use, so this script must stay small.
(() => {
  "use strict";
  const native = globalThis.__host;
  const evaluate = eval;
  const { parse, stringify } = JSON;
  const define = Object.defineProperty;
  const hide = (object, name, value) =>
    define(object, name, { value, writable: true, enumerable: false, configurable: true });

  // Polyfills that lowered code expects.
  for (const name of ["dispose", "asyncDispose"]) {
    if (!Symbol[name]) define(Symbol, name, { value: Symbol("Symbol." + name) });
  }

  // ---- the bridge -------------------------------------------------------
  const kinds = { TypeError, RangeError, SyntaxError, URIError };

  function toError({ name, message, ...rest }) {
    if (name === "AbortError" || name === "TimeoutError") {
      return new globalThis.DOMException(message, name);
    }
    return Object.assign(new (kinds[name] ?? Error)(message), rest);
  }

  function sync(op, args) {
    const answer = parse(native.sync(op, stringify(args ?? {})));
    if (answer.e) throw toError(answer.e);
    return answer.v;
  }

  function call(op, args, { signal, onEvent } = {}) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      let id;
      const onAbort = () => {
        reject(signal.reason);
        native.abort(id);
      };
      const onSettle = (json) => {
        signal?.removeEventListener("abort", onAbort);
        const answer = parse(json);
        if (answer.e) reject(toError(answer.e));
        else resolve(answer.v);
      };
      id = native.async(op, stringify(args ?? {}), onSettle, onEvent && ((json) => onEvent(parse(json))));
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  // ---- the module table -------------------------------------------------
  const loaded = new Map();

  function builtin(name) {
    if (name.startsWith("node:")) name = name.slice(5);
    let exports = loaded.get(name);
    if (!exports) {
      const make = native.chunk?.(name) ?? evaluate(sync("node.internal.source", { name }));
      exports = make(builtin);
      loaded.set(name, exports);
    }
    return exports;
  }

  const host = { sync, call, builtin };
  loaded.set("hookline:host", host);
  define(globalThis, Symbol.for("hookline.host"), { value: host });

  // ---- lazy globals -----------------------------------------------------
  const lazy = (name, from, key = name) =>
    define(globalThis, name, {
      configurable: true,
      enumerable: false,
      get() {
        const value = builtin(from)[key];
        hide(globalThis, name, value);
        return value;
      },
      set(value) {
        hide(globalThis, name, value);
      },
    });

  const table = {
    "internal:console": "console",
    "internal:events": "Event EventTarget CustomEvent MessageEvent AbortController AbortSignal",
    "internal:domexception": "DOMException",
    "internal:encoding": "TextEncoder TextDecoder atob btoa",
    "internal:url": "URL URLSearchParams",
    "internal:fetch": "fetch Headers Request Response FormData",
    "internal:blob": "Blob File",
    "internal:webstreams": "ReadableStream TextDecoderStream TextEncoderStream TransformStream WritableStream",
    "internal:clone": "structuredClone",
    "internal:webcrypto": "crypto",
    perf_hooks: "performance",
    buffer: "Buffer",
  };
  for (const from of Object.keys(table)) {
    for (const name of table[from].split(" ")) if (!(name in globalThis)) lazy(name, from);
  }
  lazy("process", "process", "default");
  hide(globalThis, "global", globalThis);

  // ---- numbers and dates for people ---------------------------------------
  if (typeof Intl === "undefined") {
    lazy("Intl", "internal:intl");
    const localized = (proto, method) =>
      hide(proto, method, {
        [method](locales, options) {
          return builtin("internal:intl").localized[method].call(this, locales, options);
        },
      }[method]);
    localized(Number.prototype, "toLocaleString");
    hide(BigInt.prototype, "toLocaleString", Number.prototype.toLocaleString);
    hide(Date.prototype, "toLocaleString", function toLocaleString(locales, options) {
      return builtin("internal:intl").localized.toLocaleDateTimeString.call(this, locales, options);
    });
    localized(Date.prototype, "toLocaleDateString");
    localized(Date.prototype, "toLocaleTimeString");
  }

  // ---- timers -------------------------------------------------------------
  // Node's timers are objects with unref(); the engine's are numbers.
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  globalThis.queueMicrotask ??= (task) => void Promise.resolve().then(task);

  class Timeout {
    #start;
    #stop;
    #id;
    constructor(start, stop) {
      this.#start = start;
      this.#stop = stop;
      this.#id = start();
    }
    ref() { return this; }
    unref() { return this; }
    hasRef() { return true; }
    refresh() {
      this.#stop(this.#id);
      this.#id = this.#start();
      return this;
    }
    close() {
      this.#stop(this.#id);
      return this;
    }
    [Symbol.toPrimitive]() { return this.#id; }
    [Symbol.dispose]() { this.close(); }
  }

  const callable = (fn) => {
    if (typeof fn === "function") return fn;
    throw builtin("internal:errors").invalidArgType("callback", "of type function", fn);
  };
  const stop = (clear) => (timer) => {
    if (timer instanceof Timeout) timer.close();
    else if (timer !== undefined && timer !== null) clear(Number(timer));
  };
  if (setTimeout) {
    hide(globalThis, "setTimeout", (fn, ms, ...args) => {
      callable(fn);
      return new Timeout(() => setTimeout(() => fn(...args), ms >= 1 && ms <= 2147483647 ? Number(ms) : 1), clearTimeout);
    });
    hide(globalThis, "setInterval", (fn, ms, ...args) => {
      callable(fn);
      return new Timeout(() => setInterval(() => fn(...args), ms >= 1 && ms <= 2147483647 ? Number(ms) : 1), clearInterval);
    });
    hide(globalThis, "setImmediate", (fn, ...args) => {
      callable(fn);
      return new Timeout(() => setTimeout(() => fn(...args), 0), clearTimeout);
    });
    hide(globalThis, "clearTimeout", stop(clearTimeout));
    hide(globalThis, "clearInterval", stop(clearInterval));
    hide(globalThis, "clearImmediate", stop(clearTimeout));
  }
})();

// Event, EventTarget, AbortController and AbortSignal.
import { DOMException } from "internal:domexception";
import { invalidArgType, nodeError } from "internal:errors";

class Event {
  #type;
  #options;
  #target = null;
  #prevented = false;
  #passive = false;
  _stopped = false;
  #propagation = true;
  #timeStamp = Date.now();

  constructor(type, options = {}) {
    if (arguments.length === 0) throw nodeError(TypeError, "ERR_MISSING_ARGS", 'The "type" argument must be specified');
    this.#type = String(type);
    this.#options = options ?? {};
    Object.defineProperty(this, "_stopped", { enumerable: false });
  }
  get type() { return this.#type; }
  get target() { return this.#target; }
  get currentTarget() { return this.#target; }
  get srcElement() { return this.#target; }
  get bubbles() { return Boolean(this.#options.bubbles); }
  get cancelable() { return Boolean(this.#options.cancelable); }
  get composed() { return Boolean(this.#options.composed); }
  get defaultPrevented() { return this.#prevented; }
  get returnValue() { return !this.#prevented; }
  get cancelBubble() { return !this.#propagation; }
  get eventPhase() { return 0; }
  get isTrusted() { return false; }
  get timeStamp() { return this.#timeStamp; }
  preventDefault() { if (this.cancelable && !this.#passive) this.#prevented = true; }
  stopPropagation() { this.#propagation = false; }
  stopImmediatePropagation() { this._stopped = true; }
  composedPath() { return this.#target ? [this.#target] : []; }
  static _dispatch(event, target, passive) {
    event.#target = target;
    event.#passive = passive;
  }
  get [Symbol.toStringTag]() { return "Event"; }
}
const setTarget = Event._dispatch;
delete Event._dispatch;

class CustomEvent extends Event {
  #detail;
  constructor(type, options) {
    super(type, options);
    this.#detail = options?.detail ?? null;
  }
  get detail() { return this.#detail; }
}

class MessageEvent extends Event {
  constructor(type, options = {}) {
    super(type, options);
    const { data = null, origin = "", lastEventId = "", source = null, ports = [] } = options;
    Object.assign(this, { data, origin, lastEventId, source, ports });
  }
}

// report hands an exception of a listener to whoever listens, as the web does.
function report(err) {
  globalThis.queueMicrotask(() => {
    throw err;
  });
}

class EventTarget {
  #listeners = new Map();

  addEventListener(type, callback, options = {}) {
    if (callback === null || callback === undefined) return;
    if (typeof callback !== "function" && typeof callback !== "object") {
      throw invalidArgType("listener", "an instance of EventListener", callback);
    }
    if (typeof options === "boolean") options = { capture: options };
    const { once = false, capture = false, passive = false, signal } = options ?? {};
    if (signal?.aborted) return;
    const list = this.#listeners.get(String(type)) ?? [];
    if (list.some((l) => l.callback === callback && l.capture === capture)) return;
    const entry = { callback, once, capture, passive, removed: false };
    this.#listeners.set(String(type), [...list, entry]);
    signal?.addEventListener("abort", () => this.removeEventListener(type, callback, options), { once: true });
  }

  removeEventListener(type, callback, options = {}) {
    const capture = typeof options === "boolean" ? options : Boolean(options?.capture);
    const list = this.#listeners.get(String(type));
    const entry = list?.find((l) => l.callback === callback && l.capture === capture);
    if (!entry) return;
    entry.removed = true;
    this.#listeners.set(String(type), list.filter((l) => l !== entry));
  }

  dispatchEvent(event) {
    if (!(event instanceof Event)) throw invalidArgType("event", "an instance of Event", event);
    for (const entry of this.#listeners.get(event.type) ?? []) {
      if (entry.removed) continue;
      if (entry.once) this.removeEventListener(event.type, entry.callback, entry.capture);
      setTarget(event, this, entry.passive);
      try {
        if (typeof entry.callback === "function") entry.callback.call(this, event);
        else entry.callback.handleEvent?.(event);
      } catch (err) {
        report(err);
      }
      if (event._stopped) break;
    }
    setTarget(event, this, false);
    return !event.defaultPrevented;
  }

  get [Symbol.toStringTag]() { return "EventTarget"; }
}

// defineHandler adds an `onabort`-like property.
function defineHandler(proto, type) {
  const slot = Symbol(`on${type}`);
  Object.defineProperty(proto, `on${type}`, {
    configurable: true,
    enumerable: true,
    get() { return this[slot]?.callback ?? null; },
    set(callback) {
      if (this[slot]) this.removeEventListener(type, this[slot].listener);
      const usable = typeof callback === "function";
      const entry = usable ? { callback, listener: (event) => callback.call(this, event) } : undefined;
      Object.defineProperty(this, slot, { value: entry, writable: true, configurable: true });
      if (entry) this.addEventListener(type, entry.listener);
    },
  });
}

const token = Symbol("internal");

class AbortSignal extends EventTarget {
  #aborted = false;
  #reason = undefined;

  constructor(key) {
    if (key !== token) throw nodeError(TypeError, "ERR_ILLEGAL_CONSTRUCTOR", "Illegal constructor");
    super();
  }
  get aborted() { return this.#aborted; }
  get reason() { return this.#reason; }
  throwIfAborted() { if (this.#aborted) throw this.#reason; }

  static _abort(signal, reason) {
    if (signal.#aborted) return;
    signal.#aborted = true;
    signal.#reason = reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
    signal.dispatchEvent(new Event("abort"));
  }
  static abort(reason) {
    const signal = new AbortSignal(token);
    abortSignal(signal, reason);
    return signal;
  }
  static timeout(ms) {
    if (typeof ms !== "number") throw invalidArgType("delay", "of type number", ms);
    const signal = new AbortSignal(token);
    setTimeout(() => abortSignal(signal, new DOMException("The operation was aborted due to timeout", "TimeoutError")), ms);
    return signal;
  }
  static any(signals) {
    const result = new AbortSignal(token);
    const sources = Array.from(signals);
    for (const source of sources) {
      if (!(source instanceof AbortSignal)) throw invalidArgType("signals", "an instance of AbortSignal", source);
    }
    for (const source of sources) {
      if (source.aborted) {
        abortSignal(result, source.reason);
        return result;
      }
    }
    for (const source of sources) {
      source.addEventListener("abort", () => abortSignal(result, source.reason), { once: true });
    }
    return result;
  }
  get [Symbol.toStringTag]() { return "AbortSignal"; }
  [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) {
    return depth < 0 ? "[AbortSignal]" : `AbortSignal { aborted: ${this.#aborted} }`;
  }
}
const abortSignal = AbortSignal._abort;
delete AbortSignal._abort;
defineHandler(AbortSignal.prototype, "abort");

class AbortController {
  #signal = new AbortSignal(token);
  get signal() { return this.#signal; }
  abort(reason) { abortSignal(this.#signal, reason); }
  get [Symbol.toStringTag]() { return "AbortController"; }
  [Symbol.for("nodejs.util.inspect.custom")](depth) {
    return depth < 0 ? "[AbortController]" : `AbortController { signal: AbortSignal { aborted: ${this.#signal.aborted} } }`;
  }
}

export { Event, EventTarget, CustomEvent, MessageEvent, AbortController, AbortSignal };

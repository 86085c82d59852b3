// What the bridge's envelopes mean, and errors the runtime throws itself.
delete globalThis.__host;

const AbortControllerOf = () => globalThis.AbortController;

class UnsupportedError extends Error {
  constructor(what) {
    super("not supported by this host: " + what);
    this.name = "UnsupportedError";
    this.code = "ERR_NOT_SUPPORTED";
  }
}

// missing stands for what a host package exports and this host does not have: it can be
// imported, extended and looked for, and throws when it is used.
const missing = (what) => new Proxy(class {}, {
  get(target, key, receiver) {
    if (typeof key === "symbol" || key === "prototype" || key === "name" || key === "length" || key === "then") return Reflect.get(target, key, receiver);
    throw new UnsupportedError(`.${key} of ${what}`);
  },
  apply() { throw new UnsupportedError(what); },
  construct() { throw new UnsupportedError(what); },
});

function toError({ name, message, code }) {
  const e = new Error(message);
  if (name) e.name = name;
  if (code) e.code = code;
  return e;
}

// ask answers from Go's memory; it never waits for a person.
function ask(op, ...args) {
  const answer = parse(host("sync", op, stringify(args)));
  if (answer.e) throw toError(answer.e);
  return answer.v;
}

// start begins something that Go answers later. call is the number of the call
// whose dialog it is, 0 for what outlives its call.
function start(op, args, { call = 0, signal, onEvent } = {}) {
  return new PromiseOf((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const id = ++lastId;
    const onAbort = () => host("abort", id);
    operations[id] = {
      onSettle(text) {
        signal?.removeEventListener("abort", onAbort);
        const answer = parse(text);
        if (answer.e) reject(toError(answer.e));
        else resolve(answer.v);
      },
      onEvent: onEvent && ((text) => onEvent(parse(text))),
    };
    host("async", id, op, stringify(args), call);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

// Rejected promises that nobody handles (yet). The engine calls this when a
// promise is rejected without a handler, and again when it gets one.
let rejected = new Map();
globalThis.__hl_rejection = (promise, reason, handled) => {
  if (handled) rejected.delete(promise);
  else rejected.set(promise, reason);
};
function takeRejections() {
  const list = [];
  for (const reason of rejected.values()) list[list.length] = describe(reason);
  rejected = new Map();
  return stringify(list);
}

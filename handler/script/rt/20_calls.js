// Calls from Go, each with a number under which it is settled.
const calls = create(null);

// settle tells Go how a call ended.
const succeed = (id, result, changed) => {
  delete calls[id];
  host("done", id, "ok", result ?? "", changed ?? "");
};
const fail = (id, error) => {
  delete calls[id];
  host("done", id, "error", stringify(describe(error)));
};

// settleWith runs fn and settles the call with what it returns or promises.
// encode turns that into JSON text; it runs once, when the value is there.
function settleWith(id, fn, encode, changed) {
  calls[id] ??= {};
  const finish = (value) => {
    try {
      const result = encode(value);
      succeed(id, result, changed?.(value));
    } catch (e) {
      fail(id, e);
    }
  };
  let value;
  try {
    value = fn();
    // Reading "then" is up to Promise.resolve, which does it once.
    if (isObject(value)) value = resolved(value);
  } catch (e) {
    return fail(id, e);
  }
  if (value instanceof PromiseOf) then(value, finish, (e) => fail(id, e));
  else finish(value);
}

// JSON.stringify asks every value's toJSON, also one that the module hung on a
// built-in prototype. Those are removed: an answer is plain data.
const polluted = [Object.prototype, Array.prototype, String.prototype, Number.prototype, Boolean.prototype];
function encodeData(value) {
  for (let i = 0; i < polluted.length; i++) {
    if (getOwnPropertyDescriptor(polluted[i], "toJSON") && !deleteProperty(polluted[i], "toJSON")) {
      throw new TypeError("a built-in prototype has a toJSON that cannot be removed");
    }
  }
  return stringify(value);
}

const ObjectPrototype = Object.prototype;

// encodeAnswer encodes what an event handler returned. Only truthy results
// count, and of an object only its own data properties: what hangs on
// Object.prototype is nobody's answer. A getter is not read, because a gate
// must not answer differently each time, and is an error, because a gate must
// not be passed by mistake.
function encodeAnswer(value) {
  if (!value || typeof value === "function" || typeof value === "symbol") return "";
  if (typeof value !== "object" || isArray(value)) return encodeData(value) ?? "";
  const plain = create(null);
  for (const key of ownKeys(value)) {
    if (typeof key !== "string") continue;
    const property = getOwnPropertyDescriptor(value, key);
    if (property === undefined) continue;
    if (!("value" in property)) throw new TypeError(`the result's property "${key}" is a getter, not a value`);
    plain[key] = property.value;
  }
  for (let up = getPrototypeOf(value); up && up !== ObjectPrototype; up = getPrototypeOf(up)) {
    for (const key of ["block", "cancel"]) {
      if (!(key in plain) && getOwnPropertyDescriptor(up, key)) {
        throw new TypeError(`the result's property "${key}" is inherited; return a plain object`);
      }
    }
  }
  return encodeData(plain) ?? "";
}

const signalOf = (id) => {
  const call = (calls[id] ??= {});
  if (!call.controller) {
    call.controller = new (AbortControllerOf())();
    if (call.aborted) call.controller.abort();
  }
  return call.controller.signal;
};

const withSignal = { session_before_compact: true, session_before_tree: true };

// dispatch runs one handler of one event. track names the property of the
// payload whose changes in place count as an answer.
function dispatch(id, event, index, payload, track, hasUI) {
  const handler = handlers[event]?.[index];
  if (!handler) return fail(id, new Error(`no handler ${index} for "${event}"`));
  calls[id] = {};
  const ev = parse(payload);
  ev.type ??= event;
  if (withSignal[event]) defineProperty(ev, "signal", { get: () => signalOf(id), configurable: true, enumerable: true });
  const before = track ? stringify(ev[track]) : undefined;
  const changed = (answer) => {
    if (isObject(answer) && answer[track] !== undefined) return "";
    const after = encodeData(ev[track]);
    return after === before || after === undefined ? "" : after;
  };
  settleWith(id, () => handler(ev, makeContext(id, hasUI)), encodeAnswer, track ? changed : undefined);
}

function abortCall(id) {
  const call = calls[id];
  if (!call) return;
  call.aborted = true;
  call.controller?.abort();
}

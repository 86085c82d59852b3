// Calls from Go, each with a number under which it is settled.
const calls = create(null);

// settle tells Go how a call ended.
const succeed = (id, result, tracked) => {
  delete calls[id];
  host("done", id, "ok", result ?? "", tracked ?? "");
};
const fail = (id, error) => {
  delete calls[id];
  host("done", id, "error", stringify(describe(error)));
};

// settleWith runs fn and settles the call with what it returns or promises.
// encode turns that into JSON text; it runs once, when the value is there.
function settleWith(id, fn, encode, tracked) {
  calls[id] ??= {};
  let value;
  try {
    value = fn();
    if (isObject(value)) {
      if (value instanceof PromiseOf) return void settleLater(id, value, encode, tracked);
      if (typeof value.then === "function") return void settleLater(id, resolved(value), encode, tracked);
    }
  } catch (e) {
    return fail(id, e);
  }
  finish(id, value, encode, tracked);
}

// settleLater waits with await, which no change of Promise.prototype reaches.
async function settleLater(id, promise, encode, tracked) {
  let value;
  try {
    value = await promise;
  } catch (e) {
    return fail(id, e);
  }
  finish(id, value, encode, tracked);
}

function finish(id, value, encode, tracked) {
  let result, after;
  try {
    result = encode(value);
    after = tracked?.(value);
  } catch (e) {
    return fail(id, e);
  }
  succeed(id, result, after);
}

const ObjectPrototype = Object.prototype, ArrayPrototype = Array.prototype, BigIntPrototype = BigInt.prototype;

// JSON.stringify asks every object's toJSON, also one that the module hung on a
// built-in prototype. Those are removed: an answer is plain data.
function encodeData(value) {
  if ("toJSON" in ArrayPrototype || "toJSON" in BigIntPrototype) {
    for (const prototype of [ObjectPrototype, ArrayPrototype, BigIntPrototype]) {
      if (!deleteProperty(prototype, "toJSON")) throw new TypeError("a built-in prototype has a toJSON that cannot be removed");
    }
  }
  return stringify(value);
}

// encodeAnswer encodes what an event handler returned. Only truthy results
// count, and of an object only its own data properties: what hangs on
// Object.prototype is nobody's answer. A getter is not read, because a gate
// must not answer differently each time, and is an error, because a gate must
// not be passed by mistake.
function encodeAnswer(value) {
  if (!value || typeof value === "function" || typeof value === "symbol") return "";
  if (typeof value !== "object" || isArray(value)) return encodeData(value) ?? "";
  const plain = create(null), keys = ownKeys(value);
  for (let n = 0; n < keys.length; n++) {
    const key = keys[n];
    if (typeof key !== "string") continue;
    const property = getOwnPropertyDescriptor(value, key);
    if (property === undefined) continue;
    if (!("value" in property)) throw new TypeError(`the result's property "${key}" is a getter, not a value`);
    plain[key] = property.value;
  }
  for (let up = getPrototypeOf(value); up && up !== ObjectPrototype; up = getPrototypeOf(up)) {
    refuseInherited(plain, up, "block");
    refuseInherited(plain, up, "cancel");
  }
  return encodeData(plain) ?? "";
}

function refuseInherited(plain, prototype, key) {
  if (!(key in plain) && getOwnPropertyDescriptor(prototype, key)) {
    throw new TypeError(`the result's property "${key}" is inherited; return a plain object`);
  }
}

const signalOf = (id) => {
  const call = (calls[id] ??= {});
  if (!call.controller) {
    call.controller = new (AbortControllerOf())();
    if (call.aborted) call.controller.abort();
  }
  return call.controller.signal;
};

// withSections adds the sections that a handler put into the system prompt.
function withSections(answer, prompt, sections) {
  const more = ownKeys(sections).map((tag) => `\n\n<${tag}>\n${sections[tag]}\n</${tag}>`).join("");
  return more && { ...answer, systemPrompt: (answer?.systemPrompt ?? prompt) + more } || answer;
}

const withSignal = { session_before_compact: true, session_before_tree: true };

// dispatch runs one handler of one event. track names the property of the
// payload that Go gets back, to see whether it was changed in place.
function dispatch(id, event, index, payload, track, hasUI) {
  const handler = handlers[event]?.[index];
  if (!handler) return fail(id, new Error(`no handler ${index} for "${event}"`));
  calls[id] = {};
  const ev = parse(payload);
  ev.type ??= event;
  if (event === "session_before_compact" && isObject(ev.preparation)) ev.preparation.previousSummary ??= undefined;
  if (withSignal[event]) defineProperty(ev, "signal", { get: () => signalOf(id), configurable: true, enumerable: true });
  // Whether it changed is for Go to see, which has the text that it was. What a handler
  // puts in its place counts for the messages, and not for a tool's input.
  const input = event === "tool_call" ? ev[track] : undefined;
  const tracked = (answer) => (input ? encodeData(input) : isObject(answer) && answer[track] !== undefined ? "" : encodeData(ev[track]));
  const ctx = makeContext(id, hasUI);
  let encode = encodeAnswer;
  if (event === "before_agent_start" && settings.family === "pi") {
    ctx[promptKey] = ev.systemPrompt; // as the handlers before it left it
    let options;
    defineProperty(ev, "systemPromptOptions", { get: () => (options ??= promptOptions()), configurable: true, enumerable: true });
    encode = (answer) => encodeAnswer(withSections(answer, ev.systemPrompt, options?.sections ?? {}));
  }
  if (event === "model_select") {
    ev.model = { ...contextMethods.model, ...ev.model }; // it is the one that answers now
    ev.previousModel = { ...models.find(ev.previousModel.provider ?? "", ev.previousModel.id), ...ev.previousModel };
  }
  if (boundaries[event]) {
    if (event === "agent_before_settle" && !settles(ev)) return succeed(id);
    openBoundary(ev);
    encode = (answer) => closeBoundary(answer, () => ev.context.canContinue);
  }
  const run = () => handler(ev, ctx);
  settleWith(id, event === "agent_end" ? () => atEnd(run) : run, encode, track ? tracked : undefined);
}

function abortCall(id) {
  const call = calls[id];
  if (!call) return;
  call.aborted = true;
  call.controller?.abort();
}

// Starting the module, and the functions that Go calls.
let body; // the module's bundle, an async function

globalThis.__hl_module = (fn) => {
  body = fn;
  delete globalThis.__hl_module;
};

// __hl is what the bundle sees of the runtime: virtual modules are built on it.
let exported;
const __hl = freeze({
  register: (m) => { exported = m; },
  ask, start, exec, theme, themed, loadPackage, missing, UnsupportedError, settings: () => settings,
  builtin: (name) => nativeRequire("node:" + name),
});

function factoryOf(m) {
  let f = m?.default;
  if (typeof f !== "function" && typeof f?.default === "function") f = f.default;
  if (typeof f !== "function" && typeof m?.["module.exports"] === "function") f = m["module.exports"];
  if (typeof f !== "function") throw new Error("Hook must export a default function");
  return f;
}

async function loadModule() {
  const run = body;
  body = undefined;
  await run(__hl);
  const factory = factoryOf(exported);
  const result = factory(pi);
  if (settings.kind === "extension") await result;
  else if (isObject(result)) {
    // One family's hooks are not waited for; what goes wrong later is reported.
    then(resolved(result), undefined, (e) => host("callback", "in the module's factory", stringify(describe(e))));
    await undefined;
  }
  bound = true;
  host("registered", registered());
  host("bound");
}

globalThis.__hl_rt = {
  init(text) { assign(settings, parse(text)); },
  load(id) { settleWith(id, loadModule, nothing); },
  dispatch, runCommand, completeCommand, completeText, resize, runShortcut, render, renderEntry, runTool, renderTool, abortCall,
  component: onComponent,
  rejections: takeRejections,
  bus: (channel, data) => deliver(channel, parse(data)),
  settle(id, text) {
    const op = operations[id];
    delete operations[id];
    if (op) inCallback("in a callback", op.onSettle, text);
  },
  event(id, text) {
    const op = operations[id];
    if (op?.onEvent) inCallback("in a stream's listener", op.onEvent, text);
  },
  timer(id) {
    const t = timers[id];
    if (!t) return;
    if (t.repeat) host("timer", id, t.wait > 1 ? t.wait : 1);
    else delete timers[id];
    inCallback("in a timer", () => t.fn(...t.args));
  },
};

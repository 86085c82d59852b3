// What Go calls besides event handlers: commands, renderers, tools, shortcuts.
const nothing = () => "";

function runCommand(id, name, args) {
  const command = commands[name];
  if (!command) return fail(id, new Error(`no command "${name}"`));
  settleWith(id, () => command.handler(args, makeCommandContext(id)), nothing);
}

function completeCommand(id, name, prefix) {
  const complete = commands[name]?.getArgumentCompletions;
  settleWith(id, () => complete?.(prefix), (v) => encodeData(v ?? null));
}

function runShortcut(id, key) {
  const shortcut = shortcuts[key];
  if (!shortcut) return fail(id, new Error(`no shortcut "${key}"`));
  settleWith(id, () => shortcut.handler(makeCommandContext(id)), nothing);
}

// lines draws a component, or text, for a width.
const lines = (width) => (component) => {
  if (component === undefined || component === null) return "";
  if (typeof component === "string") return encodeData(component.split("\n"));
  return encodeData(component.render(width).map(String));
};

// hints are what renderers are told beside what they draw.
const hints = (expanded) => ({
  expanded: !!expanded,
  keyText: (action) => loadPackage("agent").keyText(action),
  keyHint: (action, description) => loadPackage("agent").keyHint(action, description),
});

// render draws a message of a module's own kind, and renderEntry an entry.
const rendering = (table) => (id, type, what, expanded, width) => {
  const renderer = table[type];
  if (!renderer) return fail(id, new Error(`no renderer for "${type}"`));
  settleWith(id, () => renderer(parse(what), hints(expanded), theme()), lines(width));
};
const render = rendering(renderers), renderEntry = rendering(entryRenderers);

// updates passes on what a tool reports while it runs.
const updates = (id) => (partial) => void host("update", id, encodeData(partial) ?? "");

// validated fills in a tool's defaults and checks its arguments, as the tool
// expects of its host: a promise where the schema checks values itself.
function validated(tool, params) {
  if (isStandard(tool.parameters)) return then(resolved(tool.parameters["~standard"].validate(params)), (r) => {
    if (!r.issues) return r.value;
    const list = r.issues.map((i) => `\n  - ${(i.path ?? []).map((p) => p.key ?? p).join("/") || "root"}: ${i.message}`);
    throw new Error(`Validation failed for tool "${tool.name}":${list.join("")}`);
  });
  const schema = parse(stringify(toolSchema(tool.parameters)));
  if (!schema.properties) return params;
  const { Convert, Default, problems } = loadPackage("schema_check");
  const filled = Convert(schema, Default(schema, params)), list = problems(schema, filled);
  if (list) throw new Error(`Validation failed for tool "${tool.name}":${list}`);
  return filled;
}

function runTool(id, name, toolCallId, input) {
  const tool = tools[name];
  if (!tool) return fail(id, new Error(`no tool "${name}"`));
  settleWith(id, () => {
    let params = parse(input);
    if (typeof tool.prepareArguments === "function") params = tool.prepareArguments(params);
    const ctx = makeContext(id), signal = signalOf(id), update = updates(id);
    const run = (args) => tool.execute(toolCallId, args, signal, update, ctx);
    params = validated(tool, params);
    return isStandard(tool.parameters) ? then(params, run) : run(params);
  }, (v) => encodeData(typeof v === "string" ? { content: [{ type: "text", text: v }] } : v ?? null));
}

// toolRows are what tools keep about the calls that they draw, the last ones.
const toolRows = create(null);
const keptRows = 500;

function rowOf(callId) {
  if (!toolRows[callId]) {
    const ids = ownKeys(toolRows);
    if (ids.length >= keptRows) delete toolRows[ids[0]];
    toolRows[callId] = { state: {}, drawn: {} };
  }
  return toolRows[callId];
}

// renderTool draws one part of a call: the call itself, or its result.
function renderTool(id, name, text, width) {
  const tool = tools[name], d = parse(text), row = rowOf(d.callId);
  settleWith(id, () => {
    const context = {
      args: d.input ?? {}, toolCallId: d.callId, invalidate: () => void ask("ui.redrawTool", d.callId), lastComponent: row.drawn[d.part],
      state: row.state, cwd: ask("session.cwd"), executionStarted: true, argsComplete: true, isPartial: !!d.partial,
      expanded: !!d.expanded, showImages: false, isError: !!d.isError, durationMs: undefined, outputPad: 0,
    };
    const component = d.part === "call"
      ? tool?.renderCall?.(d.input ?? {}, theme(), context)
      : tool?.renderResult?.(d.result, { expanded: !!d.expanded, isPartial: !!d.partial }, theme(), context);
    return row.drawn[d.part] = component;
  }, lines(width));
}

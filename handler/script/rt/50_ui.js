// ctx.ui: dialogs, notices, and components that the module draws itself.
function themed(name, styles) {
  const paint = (code, close) => (text) => (code ? `\u001b[${code}m${text}\u001b[${close}m` : String(text));
  // Without a theme there is nobody to see styles.
  const style = (open, close) => paint(name ? open : 0, close);
  return {
    name,
    fg: (color, text) => paint(styles[color], 39)(text),
    bg: (color, text) => paint(styles[color], 49)(text),
    bold: style(1, 22), dim: style(2, 22), italic: style(3, 23), underline: style(4, 24),
    inverse: style(7, 27), strikethrough: style(9, 29),
    getFgAnsi: (color) => (styles[color] ? `\u001b[${styles[color]}m` : ""),
    getBgAnsi: (color) => (styles[color] ? `\u001b[${styles[color]}m` : ""),
    getColorMode: () => "truecolor",
    getThinkingBorderColor: () => (text) => themed(name, styles).fg("border", text),
    getBashModeBorderColor: () => (text) => themed(name, styles).fg("border", text),
  };
}
const asTheme = (t) => t && themed(t.name, t.styles ?? {});
const theme = () => asTheme(ask("ui.theme"));

// awaited is what one family's extensions wait for.
const awaited = (value) => ompExtension() ? Promise.resolve(value) : value;

// themes are those of the screen; where there is none, the one in force.
const themes = () => ask("ui.themes") ?? [ask("ui.theme")];

// setTheme changes to a theme by its name, or to one that getTheme returned.
function setTheme(t) {
  if (!ask("ui.looks")) return { success: false, error: "this host does not switch themes" };
  try {
    ask("ui.setTheme", isObject(t) ? String(t.name) : String(t));
    return { success: true };
  } catch (e) {
    return { success: false, error: e.message };
  }
}

// working is how the module wants it shown that the agent works.
let working = {};
function showWorking(name, change) {
  working = { ...working, ...change };
  if (ask("ui.looks")) ask("ui.working", working);
  else undrawn(name)();
}

// dialog runs a dialog with its options; how it ends without an answer is the
// given default.
async function dialog(op, args, options, call, missing) {
  const { signal, timeout } = options ?? {};
  try {
    return (await start(op, { ...args, timeout: timeout > 0 ? timeout : 0, initialIndex: options?.initialIndex ?? 0 }, { call, signal })) ?? missing;
  } catch (e) {
    if (e?.name === "AbortError" || e?.name === "TimeoutError") return missing;
    throw e;
  }
}

// What stands around the editor is text to the host. A component is drawn once,
// and again whenever it asks for that.
const decorations = create(null), redraws = create(null);

function decorate(where, key, content) {
  const name = where + " " + key;
  decorations[name]?.dispose?.();
  delete decorations[name];
  delete redraws[name];
  if (!ask("ui.has")) return;
  const show = (text) => ask("ui.decorate", where, key, text);
  if (content === undefined || content === null) return void show(null);
  if (typeof content !== "function") return void show(isArray(content) ? content.map(String) : [String(content)]);
  let component;
  const draw = () => component && inCallback(`in the ${where} of the module`, () => show(component.render(terminal.columns).map(String)));
  component = content(makeTUI(draw, 0), theme(), footerData);
  decorations[name] = component;
  redraws[name] = draw;
  draw();
}

// resize says how wide the screen is now.
function resize(id, columns) {
  terminal = { ...terminal, columns };
  settleWith(id, () => {
    const names = ownKeys(decorations);
    for (let n = 0; n < names.length; n++) redraws[names[n]]();
  }, nothing);
}

const footerData = {
  getGitBranch: () => ask("ui.branch") || null, getExtensionStatuses: () => new Map(ownKeys(ask("ui.statuses") ?? {}).map((key) => [key, ask("ui.statuses")[key]])), getAvailableProviderCount: () => 0, onBranchChange: () => () => {},
};

// sayOnce says once of a member that it has no effect.
const said = { __proto__: null };
function sayOnce(name, why) {
  if (!said[name]) host("ignored", `${name}: ${why}`);
  said[name] = true;
}

// undrawn is a member that does nothing, as where there is no screen.
const undrawn = (name) => () => sayOnce("ui." + name, "this host draws that itself");

// unsupported is said of a member that answers nothing and that no host has.
const unsupported = (name) => sayOnce(name, "this host has no such thing");

// drawn is a member that only a screen has.
const drawn = (name, fn) => (...args) => void (ask("ui.looks") ? fn(...args) : undrawn(name)());

function makeUI(call) {
  const text = (v) => (v === undefined || v === null ? "" : String(v));
  return {
    select: async (title, choices, options) => {
      const list = choices.map((c) => (isObject(c) ? String(c.label ?? c.value) : String(c)));
      const n = await dialog("ui.select", { title: text(title), choices: list }, options, call, -1);
      return n >= 0 ? list[n] : undefined;
    },
    confirm: (title, message, options) => dialog("ui.confirm", { title: text(title), message: text(message) }, options, call, false),
    input: (title, placeholder, options) => dialog("ui.input", { title: text(title), placeholder: text(placeholder) }, options, call, undefined),
    editor: (title, prefill, options) => dialog("ui.editor", { title: text(title), prefill: text(prefill) }, options, call, undefined),
    custom: (factory, options) => show(checked(factory, "function", "the component factory"), call, options),
    notify: (message, level) => void ask("ui.notify", text(message), level ?? "info"),
    setStatus: (key, value) => void ask("ui.status", text(key), value === undefined ? null : text(value)),
    setTitle: (title) => void ask("ui.title", text(title)),
    setEditorText: (value) => void ask("ui.setText", text(value)),
    pasteToEditor: (value) => void ask("ui.setText", ask("ui.text") + text(value)),
    getEditorText: () => ask("ui.text"),
    get theme() { return theme(); },
    getAllThemes: () => awaited(themes().map((t) => ({ name: t.name, path: undefined }))),
    getTheme: (name) => awaited(asTheme(themes().find((t) => t.name === name))),
    setTheme: (t) => awaited(setTheme(t)),
    setWidget: (key, content, options) => decorate(options?.placement === "belowEditor" ? "below" : "above", text(key), content),
    setFooter: (content) => decorate("footer", "", content),
    setHeader: (content) => decorate("header", "", content),
    setWorkingMessage: (content) => decorate("working", "", content),
    setWorkingVisible: (on) => showWorking("setWorkingVisible", { hidden: !on }),
    setWorkingIndicator: (o) => showWorking("setWorkingIndicator", { frames: o?.frames?.map(String), interval: o?.intervalMs }),
    setHiddenThinkingLabel: drawn("setHiddenThinkingLabel", (label) => ask("ui.thinkingLabel", text(label))),
    setToolsExpanded: drawn("setToolsExpanded", (on) => ask("ui.setExpanded", !!on)),
    getToolsExpanded: () => !!ask("ui.expanded"),
    setEditorComponent: (factory) => factory && unsupported("ui.setEditorComponent"),
    getEditorComponent: () => undefined,
    addAutocompleteProvider: addCompleter,
    onTerminalInput: () => { unsupported("ui.onTerminalInput"); return () => {}; },
  };
}

// The providers of completions, each of which is made with the one before it. The first
// has none of its own: those of the screen follow when a module has none.
let completer = {
  getSuggestions: async () => null,
  applyCompletion(lines, row, column, item, prefix) {
    const line = lines[row] ?? "", before = line.slice(0, column - prefix.length) + item.value;
    return { lines: lines.with(row, before + line.slice(column)), cursorLine: row, cursorCol: before.length };
  },
  shouldTriggerFileCompletion: () => true,
};
let completers = 0;

function addCompleter(factory) {
  completer = checked(factory, "function", "the completion's factory")(completer);
  completers++;
  announce();
}

// mostOffered is how many completions one module may offer at once.
const mostOffered = 50;

// completeText answers what a text may go on as: what is offered, and the text with it.
function completeText(id, lines, row, column) {
  const text = parse(lines);
  settleWith(id, async () => {
    const found = await completer.getSuggestions(text, row, column, { signal: signalOf(id) });
    return found && found.items.slice(0, mostOffered).map((item) => {
      const r = completer.applyCompletion([...text], row, column, item, found.prefix);
      const at = r.lines.slice(0, r.cursorLine).join("\n").length + (r.cursorLine > 0 ? 1 : 0) + r.cursorCol;
      return {
        label: String(item.label ?? item.value), description: String(item.description ?? ""), text: r.lines.join("\n"),
        at: [...r.lines.join("\n").slice(0, at)].length,
      };
    });
  }, (v) => encodeData(v ?? null));
}

// Components that have the keyboard while they are shown: alone at the lower edge, or laid
// over the screen.
const components = create(null); // what is shown, by number
let terminal = { columns: 80, rows: 24 };
let fronts = 0; // counts how often something was brought to the front

// put shows a component until it is closed; closed is called then. Overlays have options,
// or a function that returns them.
function put(component, call, overlay, closed) {
  const id = ++lastId;
  const s = components[id] = { id, component, overlay, hidden: false, keys: !optionsOf(overlay).nonCapturing, front: ++fronts };
  const close = () => {
    if (!components[id]) return;
    delete components[id];
    host("abort", id);
    refocus();
    closed();
  };
  operations[id] = { onSettle: close };
  host("async", id, "ui.custom", stringify({ id, overlay: overlay !== undefined }), call);
  refocus();
  const change = (fields) => {
    assign(s, fields);
    refocus();
    ask("ui.changed", id);
  };
  return {
    redraw: () => ask("ui.changed", id), hide: close,
    setHidden: (hidden) => change({ hidden: !!hidden }), isHidden: () => s.hidden,
    focus: () => change({ keys: true, front: ++fronts }), unfocus: () => change({ keys: false }),
    isFocused: () => focused() === s, getBounds: () => s.bounds,
  };
}

const optionsOf = (overlay) => (typeof overlay === "function" ? overlay() : overlay) ?? {};

// focused is what has the keys: the foremost that takes some.
function focused() {
  const list = ownKeys(components).map((id) => components[id]).filter((s) => s.keys && !s.hidden);
  return list.sort((a, b) => b.front - a.front)[0];
}

function refocus() {
  const now = focused(), ids = ownKeys(components);
  for (let n = 0; n < ids.length; n++) {
    const s = components[ids[n]];
    if (isObject(s.component) && "focused" in s.component) s.component.focused = s === now;
  }
}

// show puts up a component that the module makes until it calls done. Where somebody may
// answer but nothing is drawn, the module is told that it got no answer.
async function show(factory, call, options) {
  if (!ask("ui.screen")) {
    if (ask("ui.has")) throw new UnsupportedError("ui.custom");
    return undefined;
  }
  return new PromiseOf((resolve, reject) => {
    let handle, component, open = true;
    const finish = (settle, value) => {
      if (!open) return;
      open = false;
      handle?.hide();
      inCallback("in a component's dispose", () => component?.dispose?.());
      settle(value);
    };
    const done = (value) => finish(resolve, value);
    const tui = makeTUI(() => handle?.redraw(), call);
    const keys = keybindings();
    // Hooks and extensions take the arguments in another order; the text of the
    // module says which it is, and else the number of its parameters does.
    const extension = settings.kind === "extension" || factory.length > 3;
    const args = extension ? [tui, theme(), keys, done] : [tui, theme(), done];
    then(resolved(undefined), () => factory(...args)).then((made) => {
      component = made;
      if (!open) return inCallback("in a component's dispose", () => component?.dispose?.());
      handle = put(component, call, options?.overlay ? options.overlayOptions ?? {} : undefined, () => done(undefined));
      const { redraw, ...rest } = handle;
      options?.onHandle?.({ ...rest, hide: () => done(undefined) });
    }).catch((e) => finish(reject, e));
  });
}

// makeTUI is what a component knows of the screen; changed has it drawn again.
function makeTUI(changed, call) {
  const over = [];
  return {
    requestRender: () => void changed(),
    invalidate: () => void changed(),
    get terminal() { return { ...terminal, write() {}, hideCursor() {}, showCursor() {} }; },
    setFocus() {}, addChild() {}, removeChild() {}, start() {}, stop() {},
    showOverlay(component, options) {
      const handle = put(component, call, options ?? {}, () => void over.splice(over.indexOf(handle), 1));
      over.push(handle);
      return handle;
    },
    hideOverlay: () => over.at(-1)?.hide(), hasOverlay: () => ownKeys(components).some((id) => components[id].overlay !== undefined && !components[id].hidden),
    addInputListener: () => { unsupported("tui.addInputListener"); return () => {}; }, children: [],
  };
}

const keybindings = () => ({
  matches: (data, action) => loadPackage("tui_keys").matchesAction(data, action),
  getKeys: (action) => loadPackage("tui_keys").keysOf(action),
  getEffectiveConfig: () => ({}), getConfig: () => ({}),
});

// onComponent answers what Go asks of a component that is shown.
function onComponent(id, component, method, arg) {
  settleWith(id, () => {
    const s = components[component];
    if (!s) throw new Error("the component is closed");
    if (method === "input") return void s.component.handleInput?.(parse(arg));
    terminal = parse(arg);
    return s.overlay === undefined ? { lines: s.component.render(terminal.columns).map(String) } : drawOverlay(s);
  }, (v) => encodeData(v) ?? "");
}

// cells is a size that is a number, or a share of the whole such as "50%".
const share = (v) => (typeof v === "string" && /^\d+(\.\d+)?%$/.test(v) ? parseFloat(v) / 100 : undefined);
const cells = (v, whole) => (typeof v === "number" ? floor(v) : share(v) === undefined ? undefined : floor(whole * share(v)));

// along is where something begins in a whole with margins: at a place, or a share of what is
// free before it, or as its anchor has it, and an offset from there.
function along(whole, [before, after], size, at, anchored, offset) {
  const free = max(0, whole - before - after - size);
  const from = typeof at === "number" ? floor(at) : before + floor(free * (share(at) ?? anchored));
  return max(before, min(from + floor(offset ?? 0), whole - after - size));
}

function drawOverlay(s) {
  const o = optionsOf(s.overlay), { columns, rows } = terminal;
  const { top = 0, right = 0, bottom = 0, left = 0 } = typeof o.margin === "number" ? { top: o.margin, right: o.margin, bottom: o.margin, left: o.margin } : o.margin ?? {};
  const wide = [left, right].map((v) => max(0, floor(v))), high = [top, bottom].map((v) => max(0, floor(v)));
  const width = max(1, min(max(cells(o.width, columns) ?? 80, floor(o.minWidth ?? 1)), columns - wide[0] - wide[1]));
  const height = max(1, min(cells(o.maxHeight, rows) ?? rows, rows - high[0] - high[1]));
  s.bounds = undefined;
  if (s.hidden || o.visible && !o.visible(columns, rows)) return { lines: [], place: { keys: false, front: s.front } };
  const lines = s.component.render(width).map(String).slice(0, height), anchor = String(o.anchor ?? "center");
  const edge = (first, last) => (anchor.includes(first) ? 0 : anchor.includes(last) ? 1 : 0.5);
  const row = along(rows, high, lines.length, o.row, edge("top", "bottom"), o.offsetY);
  const column = along(columns, wide, width, o.col, edge("left", "right"), o.offsetX);
  s.bounds = { row, col: column, width, height: lines.length };
  return { lines, place: { row, column, width, keys: s.keys, front: s.front } };
}

// Keys as terminals send them, and the names that modules know them by.
import { missing } from "./tui_stand_in.js";

const combine = (...names) => (key) => [...names, key].join("+");
const named = [
  "escape", "esc", "enter", "return", "tab", "space", "backspace", "delete", "insert", "clear", "home", "end",
  "pageUp", "pageDown", "up", "down", "left", "right",
  ...Array.from({ length: 12 }, (_, n) => `f${n + 1}`),
];
const symbols = {
  backtick: "`", hyphen: "-", equals: "=", leftbracket: "[", rightbracket: "]", backslash: "\\", semicolon: ";",
  quote: "'", comma: ",", period: ".", slash: "/", exclamation: "!", at: "@", hash: "#", dollar: "$", percent: "%",
  caret: "^", ampersand: "&", asterisk: "*", leftparen: "(", rightparen: ")", underscore: "_", plus: "+", pipe: "|",
  tilde: "~", leftbrace: "{", rightbrace: "}", colon: ":", lessthan: "<", greaterthan: ">", question: "?",
};

export const Key = {
  ...Object.fromEntries(named.map((n) => [n, n])), ...symbols,
  ctrl: combine("ctrl"), shift: combine("shift"), alt: combine("alt"), super: combine("super"),
  ctrlShift: combine("ctrl", "shift"), shiftCtrl: combine("shift", "ctrl"), ctrlAlt: combine("ctrl", "alt"),
  altCtrl: combine("alt", "ctrl"), shiftAlt: combine("shift", "alt"), altShift: combine("alt", "shift"),
  ctrlSuper: combine("ctrl", "super"), superCtrl: combine("super", "ctrl"), shiftSuper: combine("shift", "super"),
  superShift: combine("super", "shift"), altSuper: combine("alt", "super"), superAlt: combine("super", "alt"),
  ctrlShiftAlt: combine("ctrl", "shift", "alt"), ctrlShiftSuper: combine("ctrl", "shift", "super"),
};

const csiLetters = { A: "up", B: "down", C: "right", D: "left", H: "home", F: "end", P: "f1", Q: "f2", R: "f3", S: "f4", Z: "shift+tab" };
const csiNumbers = {
  1: "home", 2: "insert", 3: "delete", 4: "end", 5: "pageUp", 6: "pageDown", 7: "home", 8: "end",
  11: "f1", 12: "f2", 13: "f3", 14: "f4", 15: "f5", 17: "f6", 18: "f7", 19: "f8", 20: "f9", 21: "f10", 23: "f11", 24: "f12",
};
const codes = { 27: "escape", 13: "enter", 9: "tab", 127: "backspace", 32: "space", 57414: "enter" };

// modifiers reads the number that terminals send for held keys.
function modifiers(n) {
  const bits = n - 1;
  return [[4, "ctrl"], [1, "shift"], [2, "alt"], [8, "super"]].filter(([bit]) => bits & bit).map(([, name]) => name);
}
const join = (mods, key) => [...mods, key].join("+");

const kitty = /^\u001b\[(\d+)(?::(\d*))?(?::\d*)?(?:;(\d+)(?::(\d+))?)?(?:;[\d:]*)?u$/;
const csi = /^\u001b(?:\[|O)(?:(\d+))?(?:;(\d+)(?::(\d+))?)?([A-Za-z~])$/;

// parse returns a key's name and what happened to it: 1 press, 2 repeat, 3
// release.
function parse(data) {
  const k = kitty.exec(data);
  if (k) {
    const code = Number(k[1]);
    const key = codes[code] ?? String.fromCodePoint(code).toLowerCase();
    return { name: join(modifiers(Number(k[3] ?? 1)), key), type: Number(k[4] ?? 1) };
  }
  const c = csi.exec(data);
  if (c) {
    const key = c[4] === "~" ? csiNumbers[c[1]] : csiLetters[c[4]];
    if (!key) return undefined;
    return { name: join(modifiers(Number(c[2] ?? 1)), key), type: Number(c[3] ?? 1) };
  }
  const simple = { "\u001b": "escape", "\r": "enter", "\n": "enter", "\t": "tab", " ": "space", "\u007f": "backspace", "\b": "backspace", "\0": "ctrl+space" }[data];
  if (simple) return { name: simple, type: 1 };
  if (data.length === 1) {
    const code = data.charCodeAt(0);
    if (code < 27) return { name: "ctrl+" + String.fromCharCode(code + 96), type: 1 };
    if (code < 32) return { name: "ctrl+" + String.fromCharCode(code + 64), type: 1 };
    return { name: /[A-Z]/.test(data) ? "shift+" + data.toLowerCase() : data, type: 1 };
  }
  if (data[0] === "\u001b" && [...data].length === 2) {
    const inner = parse(data.slice(1));
    return inner && { name: "alt+" + inner.name, type: 1 };
  }
  return [...data].length === 1 ? { name: data, type: 1 } : undefined;
}

// normal orders a key's modifiers, so that names can be compared.
function normal(id) {
  const parts = id.toLowerCase().split("+");
  let key = parts.pop();
  if (key === "" && parts.length) { key = "+"; parts.pop(); } // "ctrl++"
  key = { esc: "escape", return: "enter" }[key] ?? key;
  return join(["ctrl", "shift", "alt", "super"].filter((m) => parts.includes(m)), key);
}

export function parseKey(data) { return parse(data)?.name; }
export function isKeyRelease(data) { return parse(data)?.type === 3; }
export function isKeyRepeat(data) { return parse(data)?.type === 2; }
export function matchesKey(data, id) {
  const key = parse(data);
  return !!key && key.type !== 3 && normal(key.name) === normal(id);
}
export function decodeKittyPrintable(data) {
  const k = kitty.exec(data);
  if (!k || (k[3] && (Number(k[3]) - 1) & ~1)) return undefined;
  const code = k[3] === "2" && k[2] ? Number(k[2]) : Number(k[1]);
  return code >= 32 && code !== 127 ? String.fromCodePoint(code) : undefined;
}

// printable returns the text that a key types, undefined when it is none.
export function printable(data) {
  const fromKitty = decodeKittyPrintable(data);
  if (fromKitty !== undefined) return fromKitty;
  return /^[^\u0000-\u001f\u007f]+$/u.test(data) ? data : undefined;
}

let kittyActive = false;
export const isKittyProtocolActive = () => kittyActive;
export const setKittyProtocolActive = (on) => { kittyActive = on; };

const define = (table) => Object.fromEntries(Object.entries(table).map(([id, keys]) => [id, { defaultKeys: keys }]));
export const TUI_KEYBINDINGS = define({
  "tui.editor.cursorUp": "up", "tui.editor.cursorDown": "down", "tui.editor.cursorLeft": ["left", "ctrl+b"],
  "tui.editor.cursorRight": ["right", "ctrl+f"], "tui.editor.cursorWordLeft": ["alt+left", "ctrl+left", "alt+b"],
  "tui.editor.cursorWordRight": ["alt+right", "ctrl+right", "alt+f"], "tui.editor.cursorLineStart": ["home", "ctrl+a"],
  "tui.editor.cursorLineEnd": ["end", "ctrl+e"], "tui.editor.pageUp": "pageUp", "tui.editor.pageDown": "pageDown",
  "tui.editor.deleteCharBackward": "backspace", "tui.editor.deleteCharForward": ["delete", "ctrl+d"],
  "tui.editor.deleteWordBackward": ["ctrl+w", "alt+backspace"], "tui.editor.deleteToLineStart": "ctrl+u",
  "tui.editor.deleteToLineEnd": "ctrl+k", "tui.input.newLine": ["shift+enter", "ctrl+j"], "tui.input.submit": "enter",
  "tui.input.tab": "tab", "tui.select.up": "up", "tui.select.down": "down", "tui.select.pageUp": "pageUp",
  "tui.select.pageDown": "pageDown", "tui.select.confirm": "enter", "tui.select.cancel": ["escape", "ctrl+c"],
});
// The names some modules know instead.
const short = {
  selectUp: "tui.select.up", selectDown: "tui.select.down", selectConfirm: "tui.select.confirm",
  selectCancel: "tui.select.cancel", submit: "tui.input.submit", newLine: "tui.input.newLine",
};

export function keysOf(action) {
  const keys = TUI_KEYBINDINGS[short[action] ?? action]?.defaultKeys ?? [];
  return Array.isArray(keys) ? keys : [keys];
}
export const matchesAction = (data, action) => keysOf(action).some((key) => matchesKey(data, key));

export class KeybindingsManager {
  constructor(definitions = TUI_KEYBINDINGS, own = {}) {
    if (definitions !== TUI_KEYBINDINGS || Object.keys(own).length) missing("KeybindingsManager with bindings of one's own");
  }
  matches(data, action) { return matchesAction(data, action); }
  getKeys(action) { return keysOf(action); }
}
const manager = new KeybindingsManager();
export const getKeybindings = () => manager;

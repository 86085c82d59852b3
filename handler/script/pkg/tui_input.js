// Fields to type into.
import { padTo, sliceByColumn, visibleWidth } from "./tui_text.js";
import { matchesAction, printable } from "./tui_keys.js";

// CURSOR_MARKER stands where the terminal's cursor belongs; it takes no cells.
export const CURSOR_MARKER = "\u001b_pi:c\u0007";
export const isFocusable = (c) => !!c && "focused" in c;

const pasteStart = "\u001b[200~", pasteEnd = "\u001b[201~";

// Pastes arrives in pieces, between two marks.
class Pastes {
  #text;
  // take returns the text of a paste that is complete, "" while one goes on, and
  // undefined when data is not a paste.
  take(data) {
    if (this.#text === undefined) {
      if (!data.startsWith(pasteStart)) return undefined;
      this.#text = "";
      data = data.slice(pasteStart.length);
    }
    this.#text += data;
    const end = this.#text.indexOf(pasteEnd);
    if (end < 0) return "";
    const text = this.#text.slice(0, end);
    this.#text = undefined;
    return text;
  }
}

const chars = (text) => [...text];
const wordStart = (list, at) => {
  while (at > 0 && /\s/.test(list[at - 1])) at--;
  while (at > 0 && !/\s/.test(list[at - 1])) at--;
  return at;
};
const wordEnd = (list, at) => {
  while (at < list.length && /\s/.test(list[at])) at++;
  while (at < list.length && !/\s/.test(list[at])) at++;
  return at;
};

// editLine applies an editing key to a line; it reports whether it was one.
function editLine(line, data) {
  const { list, at } = line;
  const cut = (from, to) => {
    list.splice(from, to - from);
    line.at = from;
  };
  const table = {
    "tui.editor.cursorLeft": () => { line.at = Math.max(0, at - 1); },
    "tui.editor.cursorRight": () => { line.at = Math.min(list.length, at + 1); },
    "tui.editor.cursorWordLeft": () => { line.at = wordStart(list, at); },
    "tui.editor.cursorWordRight": () => { line.at = wordEnd(list, at); },
    "tui.editor.cursorLineStart": () => { line.at = 0; },
    "tui.editor.cursorLineEnd": () => { line.at = list.length; },
    "tui.editor.deleteCharBackward": () => { if (at > 0) cut(at - 1, at); },
    "tui.editor.deleteCharForward": () => { if (at < list.length) cut(at, at + 1); },
    "tui.editor.deleteWordBackward": () => cut(wordStart(list, at), at),
    "tui.editor.deleteToLineStart": () => cut(0, at),
    "tui.editor.deleteToLineEnd": () => cut(at, list.length),
  };
  for (const action of Object.keys(table)) {
    if (matchesAction(data, action)) return table[action](), true;
  }
  const text = printable(data);
  if (text === undefined) return false;
  insert(line, text);
  return true;
}
function insert(line, text) {
  const added = chars(text);
  line.list.splice(line.at, 0, ...added);
  line.at += added.length;
}

// withCursor draws a line with the character under the cursor reversed.
function withCursor({ list, at }, focused) {
  const under = list[at] ?? " ";
  return list.slice(0, at).join("") + (focused ? CURSOR_MARKER : "") + `\u001b[7m${under}\u001b[27m` + list.slice(at + 1).join("");
}

export class Input {
  #line = { list: [], at: 0 };
  #pastes = new Pastes();
  focused = false;
  onSubmit; onEscape;
  getValue() { return this.#line.list.join(""); }
  setValue(value) {
    this.#line.list = chars(value);
    this.#line.at = Math.min(this.#line.at, this.#line.list.length);
  }
  invalidate() {}
  handleInput(data) {
    const pasted = this.#pastes.take(data);
    if (pasted !== undefined) insert(this.#line, pasted.replace(/[\r\n]/g, ""));
    else if (matchesAction(data, "tui.select.cancel")) this.onEscape?.();
    else if (matchesAction(data, "tui.input.submit")) this.onSubmit?.(this.getValue());
    else editLine(this.#line, data);
  }
  render(width) {
    const room = Math.max(1, width - 2);
    const before = visibleWidth(this.#line.list.slice(0, this.#line.at).join(""));
    const from = Math.max(0, before - room + 1);
    return [padTo("> " + sliceByColumn(withCursor(this.#line, this.focused), from, room), width)];
  }
}

export class Editor {
  #lines = [{ list: [], at: 0 }];
  #row = 0;
  #pastes = new Pastes();
  #history = [];
  #recall = -1;
  focused = false;
  disableSubmit = false;
  onSubmit; onChange;
  constructor(tui, theme = {}, options = {}) {
    this.tui = tui;
    this.theme = theme;
    this.borderColor = theme.borderColor ?? ((s) => s);
    this.paddingX = options.paddingX ?? 0;
  }
  getText() { return this.#lines.map((l) => l.list.join("")).join("\n"); }
  getExpandedText() { return this.getText(); }
  getLines() { return this.#lines.map((l) => l.list.join("")); }
  getCursor() { return { line: this.#row, col: this.#lines[this.#row].list.slice(0, this.#lines[this.#row].at).join("").length }; }
  setText(text) {
    this.#lines = String(text).replace(/\r\n?/g, "\n").split("\n").map((l) => ({ list: chars(l), at: chars(l).length }));
    this.#row = this.#lines.length - 1;
    this.onChange?.(this.getText());
  }
  insertTextAtCursor(text) {
    const [first, ...rest] = String(text).replace(/\r\n?/g, "\n").split("\n");
    insert(this.#lines[this.#row], first);
    for (const line of rest) {
      this.#newLine();
      insert(this.#lines[this.#row], line);
    }
    this.onChange?.(this.getText());
  }
  addToHistory(text) {
    if (text.trim() && this.#history[0] !== text) this.#history.unshift(text);
  }
  getPaddingX() { return this.paddingX; }
  setPaddingX(n) { this.paddingX = n; }
  isShowingAutocomplete() { return false; }
  invalidate() {}
  render(width) {
    const border = this.borderColor("─".repeat(width));
    const side = " ".repeat(this.paddingX), room = Math.max(1, width - 2 * this.paddingX);
    const body = this.#lines.flatMap((line, row) => {
      const text = row === this.#row ? withCursor(line, this.focused) : line.list.join("");
      const total = Math.max(1, visibleWidth(text)), out = [];
      for (let from = 0; from < total; from += room) out.push(padTo(side + sliceByColumn(text, from, room), width));
      return out;
    });
    return [border, ...body, border];
  }
  handleInput(data) {
    const pasted = this.#pastes.take(data);
    if (pasted !== undefined) return pasted && this.insertTextAtCursor(pasted);
    const line = this.#lines[this.#row];
    if (data === "\n" || matchesAction(data, "tui.input.newLine")) this.#newLine();
    else if (matchesAction(data, "tui.input.submit")) return this.#submit();
    else if (matchesAction(data, "tui.editor.cursorUp")) return this.#up();
    else if (matchesAction(data, "tui.editor.cursorDown")) return this.#down();
    else if (matchesAction(data, "tui.editor.deleteCharBackward") && line.at === 0) this.#joinBefore();
    else if (!editLine(line, data)) return;
    this.onChange?.(this.getText());
  }
  #newLine() {
    const line = this.#lines[this.#row];
    this.#lines.splice(this.#row + 1, 0, { list: line.list.splice(line.at), at: 0 });
    this.#row++;
  }
  #joinBefore() {
    if (this.#row === 0) return;
    const [line] = this.#lines.splice(this.#row, 1);
    const before = this.#lines[--this.#row];
    before.at = before.list.length;
    before.list.push(...line.list);
  }
  #up() {
    if (this.#row > 0) return this.#move(-1);
    if (this.#recall + 1 < this.#history.length) this.setText(this.#history[++this.#recall]);
  }
  #down() {
    if (this.#row + 1 < this.#lines.length) return this.#move(1);
    if (this.#recall >= 0) this.setText(this.#history[--this.#recall] ?? "");
  }
  #move(by) {
    const at = this.#lines[this.#row].at;
    this.#row += by;
    const line = this.#lines[this.#row];
    line.at = Math.min(at, line.list.length);
  }
  #submit() {
    if (this.disableSubmit) return;
    const text = this.getText().trim();
    this.#recall = -1;
    this.setText("");
    this.onSubmit?.(text);
  }
}

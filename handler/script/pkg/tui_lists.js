// Lists to choose from.
import { fuzzyFilter, padTo, truncateToWidth, visibleWidth } from "./tui_text.js";
import { matchesAction, matchesKey, printable } from "./tui_keys.js";
import { missing } from "./tui_stand_in.js";

// windowOf returns which of n rows are shown when at most max fit.
function windowOf(selected, n, max) {
  const from = Math.max(0, Math.min(selected - Math.floor(max / 2), n - max));
  return [from, Math.min(from + max, n)];
}
const wrap = (at, n) => (n ? (at + n) % n : 0);

export class SelectList {
  #items; #shown; #at = 0; #max; #theme;
  onSelect; onCancel; onSelectionChange;
  constructor(items, maxVisible, theme, layout) {
    if (layout) missing("the layout of a SelectList");
    this.#items = this.#shown = items;
    this.#max = maxVisible;
    this.#theme = theme;
  }
  setFilter(filter) {
    const start = filter.toLowerCase();
    this.#shown = this.#items.filter((i) => i.value.toLowerCase().startsWith(start));
    this.#at = 0;
  }
  setSelectedIndex(index) { this.#at = Math.max(0, Math.min(index, this.#shown.length - 1)); }
  getSelectedItem() { return this.#shown[this.#at] ?? null; }
  invalidate() {}
  render(width) {
    const t = this.#theme, n = this.#shown.length;
    if (!n) return [t.noMatch("  No matching commands")];
    const [from, to] = windowOf(this.#at, n, this.#max);
    const label = (i) => (i.label || i.value).replace(/[\r\n]+/g, " ");
    const column = Math.min(32, Math.max(...this.#shown.map((i) => visibleWidth(label(i)))) + 2);
    const lines = this.#shown.slice(from, to).map((item, k) => {
      const selected = from + k === this.#at;
      const head = selected ? "→ " : "  ";
      if (!item.description || width < 40) {
        const text = head + truncateToWidth(label(item), width - 4, "");
        return selected ? t.selectedText(text) : text;
      }
      const name = padTo(truncateToWidth(label(item), column - 2, ""), column);
      const rest = truncateToWidth(item.description.replace(/[\r\n]+/g, " "), width - column - 4, "");
      return selected ? t.selectedText(head + name + rest) : head + name + t.description(rest);
    });
    if (from > 0 || to < n) lines.push(t.scrollInfo(truncateToWidth(`  (${this.#at + 1}/${n})`, width - 2, "")));
    return lines;
  }
  handleInput(data) {
    const n = this.#shown.length;
    const move = (to) => {
      this.#at = to;
      const item = this.getSelectedItem();
      if (item) this.onSelectionChange?.(item);
    };
    if (matchesAction(data, "tui.select.up")) move(wrap(this.#at - 1, n));
    else if (matchesAction(data, "tui.select.down")) move(wrap(this.#at + 1, n));
    else if (matchesAction(data, "tui.select.pageUp")) move(Math.max(0, this.#at - this.#max));
    else if (matchesAction(data, "tui.select.pageDown")) move(Math.max(0, Math.min(n - 1, this.#at + this.#max)));
    else if (matchesAction(data, "tui.select.confirm")) {
      const item = this.getSelectedItem();
      if (item) this.onSelect?.(item);
    } else if (matchesAction(data, "tui.select.cancel")) this.onCancel?.();
  }
}

export class SettingsList {
  #items; #max; #theme; #change; #cancel; #search; #at = 0; #query = ""; #submenu;
  constructor(items, maxVisible, theme, onChange, onCancel, options = {}) {
    this.#items = items;
    this.#max = maxVisible;
    this.#theme = theme;
    this.#change = onChange;
    this.#cancel = onCancel;
    this.#search = !!options.enableSearch;
  }
  get #shown() { return this.#query ? fuzzyFilter(this.#items, this.#query, (i) => i.label) : this.#items; }
  updateValue(id, value) {
    const item = this.#items.find((i) => i.id === id);
    if (item) item.currentValue = value;
  }
  invalidate() { this.#submenu?.invalidate?.(); }
  render(width) {
    if (this.#submenu) return this.#submenu.render(width);
    const t = this.#theme, shown = this.#shown, lines = this.#search ? [`> ${this.#query}`, ""] : [];
    if (!shown.length) return [...lines, t.hint("  No matching settings")];
    const [from, to] = windowOf(this.#at, shown.length, this.#max);
    const column = Math.min(30, Math.max(...this.#items.map((i) => visibleWidth(i.label))));
    shown.slice(from, to).forEach((item, k) => {
      const selected = from + k === this.#at;
      const value = truncateToWidth(item.currentValue, Math.max(1, width - column - 6), "");
      lines.push((selected ? t.cursor : "  ") + t.label(padTo(item.label, column), selected) + "  " + t.value(value, selected));
    });
    if (from > 0 || to < shown.length) lines.push(t.hint(`  (${this.#at + 1}/${shown.length})`));
    const description = shown[this.#at]?.description;
    if (description) lines.push("", t.description(truncateToWidth("  " + description, width, "")));
    lines.push("", t.hint("  Enter/Space to change · Esc to cancel"));
    return lines;
  }
  handleInput(data) {
    if (this.#submenu) return this.#submenu.handleInput?.(data);
    const n = this.#shown.length;
    if (matchesAction(data, "tui.select.up")) this.#at = wrap(this.#at - 1, n);
    else if (matchesAction(data, "tui.select.down")) this.#at = wrap(this.#at + 1, n);
    else if (matchesAction(data, "tui.select.confirm") || data === " ") this.#activate();
    else if (matchesAction(data, "tui.select.cancel")) this.#cancel();
    else if (this.#search) {
      if (matchesKey(data, "backspace")) this.#query = this.#query.slice(0, -1);
      else this.#query += printable(data) ?? "";
      this.#at = 0;
    }
  }
  #activate() {
    const item = this.#shown[this.#at];
    if (!item) return;
    const set = (value) => {
      item.currentValue = value;
      this.#change(item.id, value);
    };
    if (item.submenu) {
      this.#submenu = item.submenu(item.currentValue, (value) => {
        this.#submenu = undefined;
        if (value !== undefined) set(value);
      });
    } else if (item.values?.length) set(item.values[wrap(item.values.indexOf(item.currentValue) + 1, item.values.length)]);
  }
}

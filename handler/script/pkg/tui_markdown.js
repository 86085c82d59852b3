// Markdown for the terminal: headings, lists, quotes, code, emphasis and links.
import { padTo, wrapTextWithAnsi } from "./tui_text.js";

function inline(text, t, base) {
  const keep = [];
  const hold = (s) => `\u0000${keep.push(s) - 1}\u0000`;
  const out = text
    .replace(/`([^`]+)`/g, (_, code) => hold(t.code(code)))
    .replace(/!?\[([^\]]*)\]\(([^)\s]+)[^)]*\)/g, (_, label, url) => hold(label === url || !label ? t.link(url) : t.link(label) + t.linkUrl(` (${url})`)))
    .replace(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/g, (_, _m, s) => t.bold(s))
    .replace(/(?<![\w*])([*_])(?=\S)([^*_]+?)(?<=\S)\1(?![\w*])/g, (_, _m, s) => t.italic(s))
    .replace(/~~(.+?)~~/g, (_, s) => t.strikethrough(s));
  return base(out).replace(/\u0000(\d+)\u0000/g, (_, n) => keep[n]);
}

export class Markdown {
  #text; #x; #y; #theme; #style;
  constructor(text, paddingX, paddingY, theme, defaultStyle) {
    this.#text = text;
    this.#x = paddingX;
    this.#y = paddingY;
    this.#theme = theme;
    this.#style = defaultStyle;
  }
  setText(text) { this.#text = text; }
  invalidate() {}
  #base = (text) => {
    const s = this.#style ?? {};
    let out = text;
    for (const name of ["bold", "italic", "underline", "strikethrough"]) if (s[name]) out = this.#theme[name](out);
    return s.color ? s.color(out) : out;
  };
  render(width) {
    const text = String(this.#text ?? "");
    if (!text.trim()) return [];
    const room = Math.max(1, width - 2 * this.#x), side = " ".repeat(this.#x);
    const paint = this.#style?.bgColor ?? ((s) => s);
    const empty = Array(this.#y).fill("");
    return [...empty, ...this.#blocks(text, room), ...empty].map((l) => paint(padTo(side + l, width)));
  }
  #blocks(text, room) {
    const t = this.#theme, lines = [];
    const push = (s, indent = "") => {
      for (const line of wrapTextWithAnsi(s, Math.max(1, room - indent.length))) lines.push(indent + line);
    };
    const source = text.replaceAll("\t", "   ").split("\n");
    for (let n = 0; n < source.length; n++) {
      const line = source[n];
      const fence = /^\s*(```+|~~~+)\s*(\S*)/.exec(line);
      if (fence) {
        const code = [];
        while (++n < source.length && !source[n].trim().startsWith(fence[1])) code.push(source[n]);
        lines.push(t.codeBlockBorder("```" + fence[2]));
        const styled = t.highlightCode?.(code.join("\n"), fence[2]) ?? code.map((c) => t.codeBlock(c));
        for (const c of styled) push((t.codeBlockIndent ?? "  ") + c);
        lines.push(t.codeBlockBorder("```"));
        continue;
      }
      const heading = /^(#{1,6})\s+(.*)$/.exec(line);
      const quote = /^\s*>\s?(.*)$/.exec(line);
      const item = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/.exec(line);
      if (heading) {
        const mark = heading[1].length > 2 ? heading[1] + " " : "", under = heading[1] === "#" ? t.underline : (s) => s;
        push(t.heading(t.bold(under(inline(mark + heading[2], t, (s) => s)))));
      } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) lines.push(t.hr("─".repeat(Math.min(room, 80))));
      else if (quote) for (const l of wrapTextWithAnsi(t.quote(t.italic(inline(quote[1], t, (s) => s))), Math.max(1, room - 2))) lines.push(t.quoteBorder("│ ") + l);
      else if (item) {
        const bullet = /\d/.test(item[2]) ? item[2] + " " : "- ";
        const wrapped = wrapTextWithAnsi(inline(item[3], t, this.#base), Math.max(1, room - item[1].length - bullet.length));
        wrapped.forEach((l, k) => lines.push(item[1] + (k ? " ".repeat(bullet.length) : t.listBullet(bullet)) + l));
      } else push(inline(line, t, this.#base));
    }
    return lines;
  }
}

// Text on a terminal: widths in cells, escape sequences, wrapping and cutting.

const escape = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|_[^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/y;

// The escape sequence that starts at a place, "" when none does.
export function escapeAt(text, at) {
  if (text.charCodeAt(at) !== 27) return "";
  escape.lastIndex = at;
  return escape.exec(text)?.[0] ?? "";
}

const wideRanges = [
  [0x1100, 0x115f], [0x231a, 0x231b], [0x2329, 0x232a], [0x23e9, 0x23ec], [0x23f0, 0x23f0], [0x23f3, 0x23f3],
  [0x25fd, 0x25fe], [0x2614, 0x2615], [0x2648, 0x2653], [0x267f, 0x267f], [0x2693, 0x2693], [0x26a1, 0x26a1],
  [0x26aa, 0x26ab], [0x26bd, 0x26be], [0x26c4, 0x26c5], [0x26ce, 0x26ce], [0x26d4, 0x26d4], [0x26ea, 0x26ea],
  [0x26f2, 0x26f3], [0x26f5, 0x26f5], [0x26fa, 0x26fa], [0x26fd, 0x26fd], [0x2705, 0x2705], [0x270a, 0x270b],
  [0x2728, 0x2728], [0x274c, 0x274c], [0x274e, 0x274e], [0x2753, 0x2755], [0x2757, 0x2757], [0x2795, 0x2797],
  [0x27b0, 0x27b0], [0x27bf, 0x27bf], [0x2b1b, 0x2b1c], [0x2b50, 0x2b50], [0x2b55, 0x2b55], [0x2e80, 0x303e],
  [0x3041, 0x33ff], [0x3400, 0x4dbf], [0x4e00, 0x9fff], [0xa000, 0xa4cf], [0xa960, 0xa97f], [0xac00, 0xd7a3],
  [0xf900, 0xfaff], [0xfe10, 0xfe19], [0xfe30, 0xfe6f], [0xff01, 0xff60], [0xffe0, 0xffe6], [0x1f004, 0x1f004],
  [0x1f0cf, 0x1f0cf], [0x1f18e, 0x1f18e], [0x1f191, 0x1f19a], [0x1f1e6, 0x1f1ff], [0x1f200, 0x1f64f],
  [0x1f680, 0x1f6ff], [0x1f7e0, 0x1f7eb], [0x1f900, 0x1f9ff], [0x1fa70, 0x1faff], [0x20000, 0x3fffd],
];
const isWide = (code) => code >= 0x1100 && wideRanges.some(([from, to]) => code >= from && code <= to);
const joins = /^[\p{Mn}\p{Me}\u200b-\u200f\u2060-\u2064\ufe00-\ufe0e\ufeff\u{e0100}-\u{e01ef}\u{1f3fb}-\u{1f3ff}]$/u;

// Splits text into what takes cells together: {text, width}. Escape sequences
// have width 0 and come as pieces of their own.
export function* pieces(text) {
  let cluster = "", width = 0, joined = false;
  for (let at = 0; at < text.length;) {
    const code = escapeAt(text, at);
    if (code) {
      if (cluster) yield { text: cluster, width };
      cluster = "";
      yield { text: code, width: 0, code: true };
      at += code.length;
      continue;
    }
    const char = String.fromCodePoint(text.codePointAt(at));
    const point = char.codePointAt(0);
    at += char.length;
    const regional = point >= 0x1f1e6 && point <= 0x1f1ff;
    if (cluster && (joined || joins.test(char) || point === 0x200d || point === 0xfe0f
      || (regional && /^[\u{1f1e6}-\u{1f1ff}]$/u.test(cluster)))) {
      cluster += char;
      if (point === 0xfe0f && width === 1 && /\p{Extended_Pictographic}/u.test(cluster)) width = 2;
      joined = point === 0x200d;
      continue;
    }
    if (cluster) yield { text: cluster, width };
    cluster = char;
    joined = false;
    width = point === 9 ? 3 : point < 32 || (point >= 127 && point < 160) || joins.test(char) ? 0 : isWide(point) ? 2 : 1;
  }
  if (cluster) yield { text: cluster, width };
}

export function visibleWidth(text) {
  if (/^[ -~]*$/.test(text)) return text.length;
  let sum = 0;
  for (const p of pieces(text)) sum += p.width;
  return sum;
}

const reset = "\u001b[0m";

export function truncateToWidth(text, maxWidth, ellipsis = "...", pad = false) {
  const fill = (s, width) => (pad ? s + " ".repeat(Math.max(0, maxWidth - width)) : s);
  const whole = visibleWidth(text);
  if (whole <= maxWidth) return fill(text, whole);
  const room = maxWidth - visibleWidth(ellipsis);
  if (room <= 0) return truncateToWidth(ellipsis, maxWidth, "", pad);
  let out = "", width = 0, styled = false;
  for (const p of pieces(text)) {
    if (p.code) styled = true;
    else if (width + p.width > room) break;
    out += p.text;
    width += p.width;
  }
  return fill(out + (styled ? reset : "") + ellipsis, width + visibleWidth(ellipsis));
}

// sliceByColumn returns the part of a line between two columns.
export function sliceByColumn(line, start, length) {
  let out = "", column = 0;
  for (const p of pieces(line)) {
    if (p.code || (column >= start && column + p.width <= start + length)) out += p.text;
    column += p.width;
  }
  return out;
}

// wrapTextWithAnsi breaks text into lines of a width at most. A style that is
// open at a break is opened again on the next line.
export function wrapTextWithAnsi(text, width) {
  const lines = [];
  let open = "";
  for (const paragraph of String(text).split("\n")) {
    let line = open, used = 0, word = "", wordWidth = 0;
    const flush = () => {
      line += word;
      used += wordWidth;
      word = "";
      wordWidth = 0;
    };
    const breakLine = () => {
      lines.push(line.trimEnd() + (open ? reset : ""));
      line = open;
      used = 0;
    };
    for (const p of pieces(paragraph)) {
      if (p.code) {
        if (/^\u001b\[0?m$/.test(p.text)) open = "";
        else if (p.text.endsWith("m")) open += p.text;
        word += p.text;
        continue;
      }
      if (p.text === " " || p.text === "\t") {
        flush();
        if (used + p.width > width) breakLine();
        else {
          line += p.text;
          used += p.width;
        }
        continue;
      }
      if (used + wordWidth + p.width > width) {
        if (used > 0) breakLine();
        if (wordWidth + p.width > width) {
          flush();
          breakLine();
        }
      }
      word += p.text;
      wordWidth += p.width;
    }
    flush();
    lines.push(line + (open ? reset : ""));
  }
  return lines;
}

export function padTo(line, width) {
  return line + " ".repeat(Math.max(0, width - visibleWidth(line)));
}

export function fuzzyMatch(query, text) {
  const q = query.toLowerCase(), t = text.toLowerCase();
  let at = 0, score = 0, last = -1;
  for (const c of q) {
    const found = t.indexOf(c, at);
    if (found < 0) return { matches: false, score: 0 };
    score += found - last - 1 + (found === 0 || /[\s\-_./]/.test(t[found - 1]) ? -5 : 0);
    last = found;
    at = found + 1;
  }
  return { matches: true, score };
}

export function fuzzyFilter(items, query, getText) {
  const words = query.trim().split(/\s+/).filter(Boolean);
  if (!words.length) return items;
  return items
    .map((item, order) => {
      const found = words.map((w) => fuzzyMatch(w, getText(item)));
      return { item, order, ok: found.every((f) => f.matches), score: found.reduce((n, f) => n + f.score, 0) };
    })
    .filter((m) => m.ok)
    .sort((a, b) => a.score - b.score || a.order - b.order)
    .map((m) => m.item);
}

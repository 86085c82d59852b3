// console: each call is one log record on the host.
import { formatWithOptions, inspect } from "internal:inspect";
import { sync } from "hookline:host";

const counts = new Map();
const timers = new Map();
let indent = "";

function write(level, args) {
  let text = formatWithOptions({}, ...args);
  if (indent !== "") text = indent + text.replaceAll("\n", `\n${indent}`);
  sync("node.log", { level, message: text });
}

function elapsed(label) {
  const ms = globalThis.performance.now() - timers.get(label);
  return ms >= 1000 ? `${label}: ${(ms / 1000).toFixed(3)}s` : `${label}: ${Number(ms.toFixed(3))}ms`;
}

// table draws rows as Node does.
function table(data, columns) {
  if (data === null || typeof data !== "object") return console.log(data);
  const rows = data instanceof Map ? [...data] : data instanceof Set ? [...data].entries() : Object.entries(data);
  const names = ["(index)"];
  const lines = [];
  let values = false;
  for (const [index, row] of rows) {
    const line = { "(index)": String(index) };
    if (row !== null && typeof row === "object") {
      for (const key of columns ?? Object.keys(row)) {
        if (!names.includes(key)) names.push(key);
        if (Object.hasOwn(row, key)) line[key] = inspect(row[key], { depth: 0 });
      }
    } else {
      values = true;
      line.Values = inspect(row);
    }
    lines.push(line);
  }
  if (values) names.push("Values");
  const widths = names.map((n) => Math.max(n.length, ...lines.map((l) => (l[n] ?? "").length)) + 2);
  const fill = (text, width) => ` ${text}`.padEnd(width);
  const rule = (l, m, r) => l + widths.map((w) => "─".repeat(w)).join(m) + r;
  const draw = (cells) => `│${cells.map((c, i) => fill(c, widths[i])).join("│")}│`;
  console.log([rule("┌", "┬", "┐"), draw(names), rule("├", "┼", "┤"), ...lines.map((l) => draw(names.map((n) => l[n] ?? ""))), rule("└", "┴", "┘")].join("\n"));
}

const console = {
  log: (...args) => write("info", args),
  info: (...args) => write("info", args),
  debug: (...args) => write("debug", args),
  warn: (...args) => write("warn", args),
  error: (...args) => write("error", args),
  trace: (...args) => write("error", [`Trace: ${formatWithOptions({}, ...args)}\n${new Error().stack.trimEnd()}`]),
  dir: (value, options) => write("info", [inspect(value, { customInspect: false, ...options })]),
  dirxml: (...args) => write("info", args),
  table,
  assert(condition, ...args) {
    if (condition) return;
    if (typeof args[0] === "string") args[0] = `Assertion failed: ${args[0]}`;
    else args.unshift("Assertion failed");
    console.warn(...args);
  },
  count(label = "default") {
    counts.set(`${label}`, (counts.get(`${label}`) ?? 0) + 1);
    console.log(`${label}: ${counts.get(`${label}`)}`);
  },
  countReset: (label = "default") => void counts.delete(`${label}`),
  group(...args) {
    if (args.length > 0) console.log(...args);
    indent += "  ";
  },
  groupEnd: () => void (indent = indent.slice(2)),
  time: (label = "default") => void timers.set(`${label}`, globalThis.performance.now()),
  timeLog(label = "default", ...args) { if (timers.has(`${label}`)) console.log(elapsed(`${label}`), ...args); },
  timeEnd(label = "default") {
    if (!timers.has(`${label}`)) return;
    console.log(elapsed(`${label}`));
    timers.delete(`${label}`);
  },
  clear() {},
};
console.groupCollapsed = console.group;

class Console {
  constructor() { Object.assign(this, console); }
}
console.Console = Console;

export { console, Console };

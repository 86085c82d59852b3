// util.inspect and util.format, after Node's layout rules.

const custom = Symbol.for("nodejs.util.inspect.custom");

const colors = {
  reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], blink: [5, 25], inverse: [7, 27],
  hidden: [8, 28], strikethrough: [9, 29], doubleunderline: [21, 24], black: [30, 39], red: [31, 39],
  green: [32, 39], yellow: [33, 39], blue: [34, 39], magenta: [35, 39], cyan: [36, 39], white: [37, 39],
  bgBlack: [40, 49], bgRed: [41, 49], bgGreen: [42, 49], bgYellow: [43, 49], bgBlue: [44, 49],
  bgMagenta: [45, 49], bgCyan: [46, 49], bgWhite: [47, 49], framed: [51, 54], overlined: [53, 55],
  gray: [90, 39], grey: [90, 39], redBright: [91, 39], greenBright: [92, 39], yellowBright: [93, 39],
  blueBright: [94, 39], magentaBright: [95, 39], cyanBright: [96, 39], whiteBright: [97, 39],
  bgGray: [100, 49], bgRedBright: [101, 49], bgGreenBright: [102, 49], bgYellowBright: [103, 49],
  bgBlueBright: [104, 49], bgMagentaBright: [105, 49], bgCyanBright: [106, 49], bgWhiteBright: [107, 49],
};

const styles = {
  special: "cyan", number: "yellow", bigint: "yellow", boolean: "yellow", undefined: "grey", null: "bold",
  string: "green", symbol: "green", date: "magenta", regexp: "red", module: "underline",
};

const defaults = {
  showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100,
  maxStringLength: 10000, breakLength: 128, compact: 3, sorted: false, getters: false, numericSeparator: false,
};

const plainStyle = (text) => text;
const colorStyle = (text, type) => {
  const pair = colors[styles[type]];
  return pair ? `\u001b[${pair[0]}m${text}\u001b[${pair[1]}m` : text;
};

const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);
const identifier = /^[a-zA-Z_][a-zA-Z_0-9]*$/;

// quote prefers single quotes, then double, then backticks.
function quote(text) {
  let mark = "'";
  if (text.includes("'")) {
    if (!text.includes('"')) mark = '"';
    else if (!text.includes("`") && !text.includes("${")) mark = "`";
  }
  const body = text.replace(/[\x00-\x1f\x27\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, (c) => {
    if (c === "'") return mark === "'" ? "\\'" : c;
    const short = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\\": "\\\\" }[c];
    if (short) return short;
    const code = c.charCodeAt(0);
    return code > 0xff ? "\\u" + code.toString(16) : "\\x" + code.toString(16).toUpperCase().padStart(2, "0");
  });
  return mark + body + mark;
}

function separate(text) {
  return text.replace(/\B(?=(\d{3})+(?!\d))/g, "_");
}

function formatNumber(ctx, n) {
  if (Object.is(n, -0)) return "-0";
  const text = String(n);
  if (!ctx.numericSeparator || !/^-?\d+(\.\d+)?$/.test(text)) return text;
  const [whole, fraction] = text.split(".");
  return separate(whole) + (fraction === undefined ? "" : "." + fraction.replace(/(\d{3})(?=\d)/g, "$1_"));
}

function formatPrimitive(ctx, value, nested) {
  switch (typeof value) {
    case "string": {
      let text = value;
      let more = "";
      if (text.length > ctx.maxStringLength) {
        const left = text.length - ctx.maxStringLength;
        text = text.slice(0, ctx.maxStringLength);
        more = `... ${left} more character${left > 1 ? "s" : ""}`;
      }
      // Long text with line breaks is shown line by line.
      if (ctx.compact !== true && text.length > 16 && nested && text.length > ctx.breakLength - ctx.indent - 4) {
        const lines = text.split(/(?<=\n)/);
        return lines.map((line) => ctx.style(quote(line), "string")).join(` +\n${" ".repeat(ctx.indent + 2)}`) + more;
      }
      return ctx.style(quote(text), "string") + more;
    }
    case "number":
      return ctx.style(formatNumber(ctx, value), "number");
    case "bigint":
      return ctx.style((ctx.numericSeparator ? separate(String(value)) : String(value)) + "n", "bigint");
    case "boolean":
      return ctx.style(String(value), "boolean");
    case "undefined":
      return ctx.style("undefined", "undefined");
    case "symbol":
      return ctx.style(value.toString(), "symbol");
    default:
      return ctx.style("null", "null");
  }
}

// constructorOf finds the class name along the prototype chain; null means a
// null prototype.
function constructorOf(object) {
  const first = object;
  let depth = 0;
  let out;
  while (object !== null) {
    const own = Object.getOwnPropertyDescriptor(object, "constructor");
    if (own !== undefined && typeof own.value === "function" && own.value.name !== "" && isInstance(first, own.value)) {
      out = own.value.name;
      break;
    }
    object = Object.getPrototypeOf(object);
    depth++;
  }
  return out === undefined ? null : { name: out, depth };
}

function isInstance(object, ctor) {
  try {
    return object instanceof ctor;
  } catch {
    return false;
  }
}

function prefixOf(name, tag, fallback, size = "") {
  if (name === null) {
    if (tag !== "" && fallback !== tag) return `[${fallback}${size}: null prototype] [${tag}] `;
    return `[${fallback}${size}: null prototype] `;
  }
  return tag !== "" && name !== tag ? `${name}${size} [${tag}] ` : `${name}${size} `;
}

const typedArray = Object.getPrototypeOf(Uint8Array);

function keysOf(ctx, value, isArrayLike) {
  let keys = isArrayLike
    ? Object.keys(value).filter((k) => !/^(0|[1-9]\d{0,9})$/.test(k))
    : Object.keys(value);
  if (ctx.showHidden) {
    keys = Object.getOwnPropertyNames(value);
    if (isArrayLike) keys = keys.filter((k) => !/^(0|[1-9]\d{0,9})$/.test(k));
  }
  const symbols = Object.getOwnPropertySymbols(value);
  const enumerable = (s) => Object.prototype.propertyIsEnumerable.call(value, s);
  return [...keys, ...(ctx.showHidden ? symbols : symbols.filter(enumerable))];
}

function formatValue(ctx, value, recurse, nested) {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) {
    return formatPrimitive(ctx, value, nested);
  }
  if (ctx.customInspect) {
    const own = value[custom];
    if (typeof own === "function" && own !== inspect) {
      const depth = ctx.depth === null ? null : ctx.depth - recurse;
      const result = own.call(value, depth, { ...ctx.user, depth, stylize: ctx.style }, inspect);
      if (result !== value) {
        if (typeof result !== "object" || result === null) return String(result).replaceAll("\n", `\n${" ".repeat(ctx.indent)}`);
        return formatValue(ctx, result, recurse, nested);
      }
    }
  }
  if (ctx.seen.includes(value)) {
    ctx.circular ??= new Map();
    if (!ctx.circular.has(value)) ctx.circular.set(value, ctx.circular.size + 1);
    return ctx.style(`[Circular *${ctx.circular.get(value)}]`, "special");
  }
  return formatObject(ctx, value, recurse);
}

function functionBase(value, name, tag) {
  const source = Function.prototype.toString.call(value);
  if (/^class\b/.test(source) && source.endsWith("}")) {
    let base = `[class ${Object.hasOwn(value, "name") && value.name !== "" ? value.name : "(anonymous)"}`;
    if (name !== "Function" && name !== null) base += ` [${name}]`;
    const parent = Object.getPrototypeOf(value);
    if (name !== null && parent?.name) base += ` extends ${parent.name}`;
    else if (name === null || parent === null) base += " extends null";
    return base + "]";
  }
  let type = tagOf(value);
  if (!/Function$/.test(type)) type = "Function";
  let base = `[${type}`;
  if (name === null) base += " (null prototype)";
  base += value.name === "" ? " (anonymous)" : `: ${value.name}`;
  base += "]";
  if (name !== type && name !== null) base += ` ${name}`;
  if (tag !== "" && name !== tag) base += ` [${tag}]`;
  return base;
}

// errorText is the stack with a first line, as V8 has it.
function errorText(err) {
  const name = err.name ?? "Error";
  let stack = typeof err.stack === "string" ? err.stack : "";
  let head;
  try {
    head = Error.prototype.toString.call(err);
  } catch {
    head = String(name);
  }
  if (err.code && typeof err.code === "string" && err.code.startsWith("ERR_")) {
    head = head.replace(name, `${name} [${err.code}]`);
  }
  const trimmed = stack.replace(/\n+$/, "");
  // An engine stack holds frames only; one that a program set is whole.
  const frames = trimmed === "" || /^\s+at /.test(trimmed);
  if (!frames) return trimmed;
  return trimmed === "" ? `[${head}]` : `${head}\n${trimmed}`;
}

function formatError(ctx, err, keys) {
  let text = errorText(err);
  if (ctx.indent > 0) text = text.replaceAll("\n", `\n${" ".repeat(ctx.indent)}`);
  for (const own of ["cause", "errors"]) {
    if (Object.hasOwn(err, own) && !keys.includes(own) && (own !== "errors" || Array.isArray(err.errors))) keys.push(own);
  }
  for (const own of ["message", "stack", "name"]) {
    const at = keys.indexOf(own);
    if (at >= 0 && text.includes(String(err[own]))) keys.splice(at, 1);
  }
  return text;
}

const boxed = { Number, String, Boolean, BigInt, Symbol };

function formatObject(ctx, value, recurse) {
  const found = constructorOf(value);
  const name = found?.name ?? null;
  let tag = "";
  try {
    tag = value[Symbol.toStringTag];
  } catch {
    // A getter that throws is not a tag.
  }
  // A tag that is a property of the object's own is listed as such.
  const listed = ctx.showHidden ? Object.hasOwn(value, Symbol.toStringTag) : Object.prototype.propertyIsEnumerable.call(value, Symbol.toStringTag);
  if (typeof tag !== "string" || listed) tag = "";
  const kind = kindOf(value);
  let braces = ["{", "}"];
  let base = "";
  let entries = () => [];
  let keys;
  let listLike = false;

  switch (kind) {
    case "array": {
      keys = keysOf(ctx, value, true);
      const prefix = name !== "Array" || tag !== "" ? prefixOf(name, tag, "Array", `(${value.length})`) : "";
      braces = [`${prefix}[`, "]"];
      if (value.length === 0 && keys.length === 0) return `${braces[0]}]`;
      listLike = true;
      entries = () => arrayEntries(ctx, value, recurse);
      break;
    }
    case "set":
    case "map": {
      keys = keysOf(ctx, value, false);
      const size = `(${value.size})`;
      braces = [`${prefixOf(name, tag, kind === "set" ? "Set" : "Map", size)}{`, "}"];
      if (value.size === 0 && keys.length === 0) return `${braces[0]}}`;
      entries = kind === "set" ? () => setEntries(ctx, value, recurse) : () => mapEntries(ctx, value, recurse);
      break;
    }
    case "typedarray": {
      keys = keysOf(ctx, value, true);
      braces = [`${prefixOf(name, tag, tag, `(${value.length})`)}[`, "]"];
      if (value.length === 0 && keys.length === 0) return `${braces[0]}]`;
      listLike = true;
      entries = () => typedEntries(ctx, value);
      break;
    }
    case "arguments":
      keys = keysOf(ctx, value, false);
      braces[0] = "[Arguments] {";
      if (keys.length === 0) return "[Arguments] {}";
      break;
    case "function":
      keys = keysOf(ctx, value, false);
      base = functionBase(value, name, tag);
      if (keys.length === 0) return ctx.style(base, "special");
      break;
    case "regexp":
      keys = keysOf(ctx, value, false);
      base = RegExp.prototype.toString.call(value);
      if (name !== "RegExp") base = `${prefixOf(name, tag, "RegExp")}${base}`;
      if (keys.length === 0 || (recurse > ctx.depth && ctx.depth !== null)) return ctx.style(base, "regexp");
      break;
    case "date":
      keys = keysOf(ctx, value, false);
      base = Number.isNaN(value.getTime()) ? "Invalid Date" : Date.prototype.toISOString.call(value);
      if (name !== "Date") base = `${prefixOf(name, tag, "Date")}${base}`;
      if (keys.length === 0) return ctx.style(base, "date");
      break;
    case "error":
      keys = keysOf(ctx, value, false);
      base = formatError(ctx, value, keys);
      if (keys.length === 0) return base;
      break;
    case "arraybuffer": {
      keys = keysOf(ctx, value, false);
      braces[0] = `${prefixOf(name, tag, "ArrayBuffer")}{`;
      entries = () => bufferEntries(ctx, value);
      break;
    }
    case "dataview":
      keys = keysOf(ctx, value, false);
      braces[0] = `${prefixOf(name, tag, "DataView")}{`;
      entries = () => indented(ctx, 2, () =>
        ["byteLength", "byteOffset", "buffer"].map((k) => `${k}: ${formatValue(ctx, value[k], recurse + 1, true)}`));
      break;
    case "promise":
      keys = keysOf(ctx, value, false);
      braces[0] = `${prefixOf(name, tag, "Promise")}{`;
      entries = () => [ctx.style("<pending>", "special")];
      break;
    case "weakset":
    case "weakmap":
      keys = keysOf(ctx, value, false);
      braces[0] = `${prefixOf(name, tag, kind === "weakset" ? "WeakSet" : "WeakMap")}{`;
      entries = () => [ctx.style("<items unknown>", "special")];
      break;
    case "boxed": {
      const type = tagOf(value);
      const inner = boxed[type].prototype.valueOf.call(value);
      keys = keysOf(ctx, value, type === "String");
      base = `[${type}${type !== name ? (name === null ? " (null prototype)" : ` (${name})`) : ""}: ${formatPrimitive({ ...ctx, style: plainStyle }, inner)}]`;
      if (tag !== "" && tag !== name && tag !== type) base += ` [${tag}]`;
      if (keys.length === 0) return ctx.style(base, type.toLowerCase());
      break;
    }
    default: {
      keys = keysOf(ctx, value, false);
      if (name === "Object" && tag === "") braces[0] = "{";
      else braces[0] = `${prefixOf(name, tag, "Object")}{`;
      if (name === "Object" && tag !== "") braces[0] = `Object [${tag}] {`;
      if (keys.length === 0) return `${braces[0]}}`;
    }
  }

  if (ctx.depth !== null && recurse > ctx.depth) {
    const label = prefixOf(name, tag, kind === "array" ? "Array" : "Object").slice(0, -1);
    return ctx.style(`[${label}]`, "special");
  }

  ctx.seen.push(value);
  ctx.current = recurse;
  const output = entries();
  for (const key of keys) output.push(formatProperty(ctx, value, key, recurse, listLike));
  ctx.seen.pop();

  if (ctx.circular?.has(value)) {
    const mark = ctx.style(`<ref *${ctx.circular.get(value)}>`, "special");
    if (ctx.compact !== true) base = base === "" ? mark : `${mark} ${base}`;
    else braces[0] = `${mark} ${braces[0]}`;
  }
  if (ctx.sorted && !listLike) output.sort(ctx.sorted === true ? undefined : ctx.sorted);
  return layout(ctx, output, base, braces, listLike, recurse, value);
}

function kindOf(value) {
  if (Array.isArray(value)) return "array";
  if (typeof value === "function") return "function";
  if (value instanceof typedArray) return "typedarray";
  if (value instanceof Set) return "set";
  if (value instanceof Map) return "map";
  if (value instanceof RegExp) return "regexp";
  if (value instanceof Date) return "date";
  if (value instanceof Error) return "error";
  if (value instanceof ArrayBuffer || (typeof SharedArrayBuffer !== "undefined" && value instanceof SharedArrayBuffer)) return "arraybuffer";
  if (value instanceof DataView) return "dataview";
  if (value instanceof Promise) return "promise";
  if (value instanceof WeakSet) return "weakset";
  if (value instanceof WeakMap) return "weakmap";
  const tag = tagOf(value);
  if (tag === "Arguments") return "arguments";
  if (tag in boxed && value instanceof boxed[tag]) return "boxed";
  return "object";
}

function indented(ctx, n, fn) {
  ctx.indent += n;
  try {
    return fn();
  } finally {
    ctx.indent -= n;
  }
}

const moreItems = (left) => `... ${left} more item${left > 1 ? "s" : ""}`;

function arrayEntries(ctx, value, recurse) {
  const output = [];
  const limit = Math.min(Math.max(0, ctx.maxArrayLength), value.length);
  let index = 0;
  while (index < value.length && output.length < limit) {
    if (!Object.hasOwn(value, index)) {
      let end = index;
      while (end < value.length && !Object.hasOwn(value, end)) end++;
      output.push(ctx.style(`<${end - index} empty item${end - index > 1 ? "s" : ""}>`, "undefined"));
      index = end;
      continue;
    }
    output.push(formatProperty(ctx, value, index, recurse, "element"));
    index++;
  }
  if (index < value.length) output.push(moreItems(value.length - index));
  return output;
}

function typedEntries(ctx, value) {
  const limit = Math.min(Math.max(0, ctx.maxArrayLength), value.length);
  const output = [];
  for (let i = 0; i < limit; i++) output.push(formatPrimitive(ctx, value[i]));
  if (value.length > limit) output.push(moreItems(value.length - limit));
  return output;
}

function setEntries(ctx, value, recurse) {
  const limit = Math.min(Math.max(0, ctx.maxArrayLength), value.size);
  const output = [];
  indented(ctx, 2, () => {
    for (const item of Set.prototype.values.call(value)) {
      if (output.length >= limit) break;
      output.push(formatValue(ctx, item, recurse + 1, true));
    }
  });
  if (value.size > limit) output.push(moreItems(value.size - limit));
  return output;
}

function mapEntries(ctx, value, recurse) {
  const limit = Math.min(Math.max(0, ctx.maxArrayLength), value.size);
  const output = [];
  indented(ctx, 2, () => {
    for (const [k, v] of Map.prototype.entries.call(value)) {
      if (output.length >= limit) break;
      output.push(`${formatValue(ctx, k, recurse + 1, true)} => ${formatValue(ctx, v, recurse + 1, true)}`);
    }
  });
  if (value.size > limit) output.push(moreItems(value.size - limit));
  return output;
}

function bufferEntries(ctx, value) {
  const bytes = new Uint8Array(value);
  const limit = Math.min(Math.max(0, ctx.maxArrayLength), bytes.length);
  let text = Array.from(bytes.subarray(0, limit), (b) => b.toString(16).padStart(2, "0")).join(" ");
  if (bytes.length > limit) text += ` ... ${bytes.length - limit} more byte${bytes.length - limit > 1 ? "s" : ""}`;
  return [
    `${ctx.style("[Uint8Contents]", "special")}: <${text}>`,
    `byteLength: ${formatPrimitive(ctx, value.byteLength)}`,
  ];
}

function formatProperty(ctx, object, key, recurse, listLike) {
  const own = Object.getOwnPropertyDescriptor(object, key) ?? { value: object[key], enumerable: true };
  let text;
  if (own.value !== undefined || (!own.get && !own.set)) {
    const indent = ctx.compact !== true || listLike !== false ? 2 : 3;
    text = indented(ctx, indent, () => formatValue(ctx, own.value, recurse + 1, true));
    if (indent === 3 && ctx.breakLength < text.length) text = `\n${" ".repeat(ctx.indent)}${text}`;
  } else if (own.get) {
    const label = own.set ? "Getter/Setter" : "Getter";
    text = ctx.style(`[${label}]`, "special");
    const wanted = ctx.getters === true || (ctx.getters === "get" && !own.set) || (ctx.getters === "set" && own.set);
    if (wanted) {
      try {
        const got = own.get.call(object);
        const shown = indented(ctx, 2, () => formatValue(ctx, got, recurse + 1, true));
        text = got === null || typeof got !== "object"
          ? `${ctx.style(`[${label}:`, "special")} ${shown}${ctx.style("]", "special")}`
          : `${ctx.style(`[${label}]`, "special")} ${shown}`;
      } catch (err) {
        text = `${ctx.style(`[${label}:`, "special")} <Inspection threw (${err.message})>${ctx.style("]", "special")}`;
      }
    }
  } else {
    text = ctx.style("[Setter]", "special");
  }
  if (listLike === "element") return text;
  let label;
  if (typeof key === "symbol") label = `[${ctx.style(key.toString(), "symbol")}]`;
  else if (key === "__proto__") label = "['__proto__']";
  else if (own.enumerable === false) label = `[${key}]`;
  else if (identifier.test(key)) label = ctx.style(key, "name");
  else label = ctx.style(quote(key), "string");
  return `${label}:${text.startsWith("\n") ? "" : " "}${text}`;
}

const widthOf = (ctx, text) => (ctx.colors ? stripColors(text).length : text.length);
const stripColors = (text) => text.replace(/\u001b\[\d\d?m/g, "");

// group sets the elements of a long list in columns.
function group(ctx, output, value) {
  let total = 0;
  let longest = 0;
  let count = output.length;
  if (ctx.maxArrayLength < value.length) count--; // the "more items" line
  const widths = [];
  for (let i = 0; i < count; i++) {
    widths[i] = widthOf(ctx, output[i]);
    total += widths[i] + 2;
    longest = Math.max(longest, widths[i]);
  }
  const actual = longest + 2;
  if (actual * 3 + ctx.indent >= ctx.breakLength || (total / actual <= 5 && longest > 6)) return output;
  const bias = Math.max(actual - 3 - Math.sqrt(actual - total / output.length), 1);
  const columns = Math.min(
    Math.round(Math.sqrt(2.5 * bias * count) / bias),
    Math.floor((ctx.breakLength - ctx.indent) / actual),
    ctx.compact * 4,
    15,
  );
  if (columns <= 1) return output;
  const columnWidths = [];
  for (let i = 0; i < columns; i++) {
    let width = 0;
    for (let j = i; j < count; j += columns) width = Math.max(width, widths[j]);
    columnWidths.push(width + 2);
  }
  const padLeft = value.every((item) => typeof item === "number" || typeof item === "bigint");
  const rows = [];
  for (let i = 0; i < count; i += columns) {
    const end = Math.min(i + columns, count);
    let row = "";
    let j = i;
    for (; j < end - 1; j++) {
      const cell = `${output[j]}, `;
      const pad = " ".repeat(columnWidths[j - i] - widths[j] - 2);
      row += padLeft ? pad + cell : cell + pad;
    }
    row += padLeft ? " ".repeat(columnWidths[j - i] - 2 - widths[j]) + output[j] : output[j];
    rows.push(row);
  }
  if (ctx.maxArrayLength < value.length) rows.push(output[count]);
  return rows;
}

function layout(ctx, output, base, braces, listLike, recurse, value) {
  if (ctx.compact !== true) {
    if (typeof ctx.compact === "number" && ctx.compact >= 1) {
      const before = output.length;
      if (listLike && before > 6) output = group(ctx, output, Array.prototype.slice.call(value));
      if (ctx.current - recurse < ctx.compact && before === output.length) {
        const start = output.length + ctx.indent + braces[0].length + base.length + 10;
        const length = output.reduce((sum, text) => sum + widthOf(ctx, text), output.length + start);
        const joined = output.join(", ");
        if (length <= ctx.breakLength && !joined.includes("\n") && !base.includes("\n")) {
          return `${base ? `${base} ` : ""}${braces[0]} ${joined} ${braces[1]}`;
        }
      }
    }
    const pad = `\n${" ".repeat(ctx.indent)}`;
    return `${base ? `${base} ` : ""}${braces[0]}${pad}  ${output.join(`,${pad}  `)}${pad}${braces[1]}`;
  }
  const length = output.reduce((sum, text) => sum + widthOf(ctx, text), output.length);
  if (length + output.length <= ctx.breakLength && !output.join("").includes("\n") && (base === "" || !base.includes("\n"))) {
    return `${braces[0]}${base ? ` ${base}` : ""} ${output.join(", ")} ${braces[1]}`;
  }
  const pad = `\n${" ".repeat(ctx.indent)}`;
  const head = base === "" && braces[0].length === 1 ? " " : `${base ? ` ${base}` : ""}\n${" ".repeat(ctx.indent)}  `;
  return `${braces[0]}${head}${output.join(`,${pad}  `)} ${braces[1]}`;
}

function inspect(value, options, depth, useColors) {
  const user = typeof options === "object" && options !== null ? options : {};
  const ctx = { ...defaults, breakLength: 80, ...user };
  if (typeof options === "boolean") ctx.showHidden = options;
  if (depth !== undefined) ctx.depth = depth;
  if (useColors !== undefined) ctx.colors = useColors;
  if (ctx.depth === Infinity) ctx.depth = null;
  ctx.maxArrayLength ??= Infinity;
  ctx.maxStringLength ??= Infinity;
  ctx.user = { ...defaults, breakLength: 80, ...user };
  ctx.style = ctx.colors ? colorStyle : plainStyle;
  ctx.seen = [];
  ctx.indent = 0;
  ctx.current = 0;
  return formatValue(ctx, value, 0, false);
}

inspect.custom = custom;
inspect.colors = colors;
inspect.styles = styles;
inspect.defaultOptions = defaults;

// ---- format -----------------------------------------------------------------
function hasOwnToString(value) {
  if (typeof value !== "object" || value === null) return false;
  if (typeof value.toString !== "function") return false;
  if (Object.hasOwn(value, "toString")) return true;
  if (value instanceof Error || value instanceof Date) return false;
  let proto = value;
  do proto = Object.getPrototypeOf(proto);
  while (proto && !Object.hasOwn(proto, "toString"));
  const ctor = proto && Object.getOwnPropertyDescriptor(proto, "constructor")?.value;
  const builtins = [Object, Array, Map, Set, RegExp, Promise, Function];
  return typeof ctor === "function" && !builtins.includes(ctor);
}

function formatString(value) {
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Error) return errorText(value);
  if (typeof value !== "object" || value === null || hasOwnToString(value)) return String(value);
  return inspect(value, { depth: 0, colors: false, compact: 3 });
}

const directives = {
  s: formatString,
  d: (v) => (typeof v === "bigint" ? `${v}n` : typeof v === "symbol" ? "NaN" : formatNumber({}, Number(v))),
  i: (v) => (typeof v === "bigint" ? `${v}n` : typeof v === "symbol" ? "NaN" : formatNumber({}, parseInt(v))),
  f: (v) => (typeof v === "symbol" ? "NaN" : formatNumber({}, parseFloat(v))),
  j(v) {
    try {
      return JSON.stringify(v);
    } catch (err) {
      if (/circular/i.test(err.message)) return "[Circular]";
      throw err;
    }
  },
  o: (v) => inspect(v, { showHidden: true, showProxy: true, depth: 4 }),
  O: (v) => inspect(v),
  c: () => "",
};

function formatWithOptions(options, ...args) {
  let text = "";
  let next = 0;
  if (typeof args[0] === "string") {
    next = 1;
    if (args.length === 1) return args[0];
    text = args[0].replace(/%([sdifjoOc%])/g, (whole, kind) => {
      if (kind === "%") return "%";
      if (next >= args.length) return whole;
      const arg = args[next++];
      if (kind === "O") return inspect(arg, options);
      if (kind === "o") return inspect(arg, { ...options, showHidden: true, showProxy: true, depth: 4 });
      return String(directives[kind](arg));
    });
  }
  const rest = args.slice(next).map((arg) => (typeof arg === "string" ? arg : inspect(arg, { ...options, compact: 3, depth: 2 })));
  return [...(next > 0 ? [text] : []), ...rest].join(" ");
}

const format = (...args) => formatWithOptions({}, ...args);

export { inspect, format, formatWithOptions, errorText, colors };

// node:querystring
const unreserved = /[^A-Za-z0-9\-_.!~*'()]/;

function escape(value) {
  const text = typeof value === "string" ? value : typeof value === "object" ? String(value) : value + "";
  if (!unreserved.test(text)) return text;
  try {
    return encodeURIComponent(text);
  } catch {
    const err = new URIError("URI malformed");
    err.code = "ERR_INVALID_URI";
    throw err;
  }
}

// unescapeBuffer decodes %xx into bytes and keeps what is malformed.
function unescapeBuffer(text) {
  const bytes = [];
  const raw = globalThis.Buffer.from(String(text));
  for (let i = 0; i < raw.length; i++) {
    const hex = raw[i] === 0x25 ? raw.latin1Slice(i + 1, i + 3) : "";
    if (/^[0-9a-f]{2}$/i.test(hex)) {
      bytes.push(parseInt(hex, 16));
      i += 2;
    } else bytes.push(raw[i]);
  }
  return globalThis.Buffer.from(bytes);
}

function unescape(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return unescapeBuffer(text).toString();
  }
}

function primitive(value) {
  switch (typeof value) {
    case "string": return value;
    case "number": return Number.isFinite(value) ? String(value) : "";
    case "bigint":
    case "boolean": return String(value);
    default: return "";
  }
}

function stringify(object, sep = "&", eq = "=", options) {
  if (object === null || typeof object !== "object") return "";
  const encode = options?.encodeURIComponent ?? api.escape;
  const parts = [];
  for (const key of Object.keys(object)) {
    const values = Array.isArray(object[key]) ? object[key] : [object[key]];
    for (const value of values) parts.push(encode(primitive(key)) + (eq || "=") + encode(primitive(value)));
  }
  return parts.join(sep || "&");
}

function parse(text, sep = "&", eq = "=", options) {
  const out = Object.create(null);
  if (typeof text !== "string" || text === "") return out;
  const decode = options?.decodeURIComponent ?? api.unescape;
  const safe = (part) => {
    part = part.replaceAll("+", " ");
    try {
      return part.includes("%") || decode !== unescape ? decode(part) : part;
    } catch {
      return unescape(part);
    }
  };
  const max = typeof options?.maxKeys === "number" ? options.maxKeys : 1000;
  let pairs = text.split(sep || "&").filter((pair) => pair !== "");
  if (max > 0) pairs = pairs.slice(0, max);
  for (const pair of pairs) {
    const at = pair.indexOf(eq || "=");
    const key = safe(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? "" : safe(pair.slice(at + (eq || "=").length));
    if (!(key in out)) out[key] = value;
    else if (Array.isArray(out[key])) out[key].push(value);
    else out[key] = [out[key], value];
  }
  return out;
}

const encode = stringify;
const decode = parse;
const api = { unescapeBuffer, unescape, escape, stringify, encode, parse, decode };

export { unescapeBuffer, unescape, escape, stringify, encode, parse, decode };
export default api;

// The URL parser of the WHATWG standard, as functions over a record
// {scheme, username, password, host, port, path, query, fragment}.
// path is an array of segments, or a string where the path is opaque.
import { toAscii } from "internal:idna";
import { utf8Decode, utf8Encode } from "internal:encoding";

const specialPorts = { "http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21, "file": null };
const isSpecial = (scheme) => Object.hasOwn(specialPorts, scheme);

// Percent-encode sets, each adding to the one before.
const inC0 = (c) => c < 0x20 || c > 0x7e;
const setOf = (base, chars) => (c) => base(c) || chars.includes(String.fromCharCode(c));
const fragmentSet = setOf(inC0, ' "<>`');
const querySet = setOf(inC0, ' "#<>');
const specialQuerySet = setOf(querySet, "'");
const pathSet = setOf(querySet, "?`{}");
const userinfoSet = setOf(pathSet, "/:;=@[\\]^|");

const hexByte = (b) => "%" + b.toString(16).toUpperCase().padStart(2, "0");

function percentEncode(text, inSet) {
  let out = "";
  for (const char of text) {
    const code = char.codePointAt(0);
    if (!inSet(code)) out += char;
    else for (const b of utf8Encode(char)) out += hexByte(b);
  }
  return out;
}

function percentDecode(text) {
  if (!text.includes("%")) return text;
  const raw = utf8Encode(text);
  const out = [];
  const hex = (b) => (b >= 48 && b <= 57 ? b - 48 : (b | 32) >= 97 && (b | 32) <= 102 ? (b | 32) - 87 : -1);
  for (let i = 0; i < raw.length; i++) {
    if (raw[i] === 0x25 && i + 2 < raw.length && hex(raw[i + 1]) >= 0 && hex(raw[i + 2]) >= 0) {
      out.push(hex(raw[i + 1]) * 16 + hex(raw[i + 2]));
      i += 2;
    } else out.push(raw[i]);
  }
  return utf8Decode(new Uint8Array(out));
}

// ---- hosts ----------------------------------------------------------------------
const forbiddenHost = /[\0\t\n\r #/:<>?@[\\\]^|]/;
const forbiddenDomain = /[\0-\x20#%/:<>?@[\\\]^|\x7f]/;

function parseHost(text, special) {
  if (text[0] === "[") return text.endsWith("]") ? parseIPv6(text.slice(1, -1)) : null;
  if (!special) return forbiddenHost.test(text) ? null : percentEncode(text, inC0);
  const ascii = toAscii(percentDecode(text));
  if (ascii === null || ascii === "" || forbiddenDomain.test(ascii)) return null;
  const parts = ascii.split(".");
  if (parts.at(-1) === "" && parts.length > 1) parts.pop();
  const last = parts.at(-1);
  if (/^[0-9]+$/.test(last) || /^0x[0-9a-f]*$/i.test(last)) return parseIPv4(parts);
  return ascii;
}

function parseIPv4(parts) {
  if (parts.length > 4) return null;
  const numbers = [];
  for (const part of parts) {
    if (part === "") return null;
    let digits = part;
    let radix = 10;
    if (/^0x/i.test(part)) [digits, radix] = [part.slice(2), 16];
    else if (part.length > 1 && part[0] === "0") [digits, radix] = [part.slice(1), 8];
    const valid = { 10: /^[0-9]*$/, 16: /^[0-9a-f]*$/i, 8: /^[0-7]*$/ }[radix];
    if (!valid.test(digits)) return null;
    numbers.push(digits === "" ? 0 : parseInt(digits, radix));
  }
  const last = numbers.pop();
  if (numbers.some((n) => n > 255) || last >= 256 ** (4 - numbers.length)) return null;
  let value = last;
  numbers.forEach((n, i) => (value += n * 256 ** (3 - i)));
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}

function parseIPv6(text) {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const pieces = (half) => {
    if (half === "") return [];
    const out = [];
    const groups = half.split(":");
    for (const [i, group] of groups.entries()) {
      if (i === groups.length - 1 && group.includes(".")) {
        const v4 = group.split(".");
        if (v4.length !== 4 || !v4.every((n) => /^(0|[1-9]\d{0,2})$/.test(n) && Number(n) < 256)) return null;
        out.push(v4[0] * 256 + Number(v4[1]), v4[2] * 256 + Number(v4[3]));
      } else if (/^[0-9a-f]{1,4}$/i.test(group)) out.push(parseInt(group, 16));
      else return null;
    }
    return out;
  };
  const head = pieces(halves[0]);
  const tail = halves.length === 2 ? pieces(halves[1]) : [];
  if (head === null || tail === null || (halves.length === 2 && halves[0].includes("."))) return null;
  const gap = 8 - head.length - tail.length;
  if (halves.length === 2 ? gap < 1 : gap !== 0) return null;
  return `[${compressIPv6([...head, ...Array(gap).fill(0), ...tail])}]`;
}

function compressIPv6(groups) {
  let best = { start: -1, length: 1 };
  for (let i = 0; i < 8; i++) {
    let j = i;
    while (j < 8 && groups[j] === 0) j++;
    if (j - i > best.length) best = { start: i, length: j - i };
    if (j > i) i = j;
  }
  const hex = groups.map((n) => n.toString(16));
  if (best.start < 0) return hex.join(":");
  return hex.slice(0, best.start).join(":") + "::" + hex.slice(best.start + best.length).join(":");
}

// ---- paths ----------------------------------------------------------------------
const isDot = (s) => s === "." || /^%2e$/i.test(s);
const isDotDot = (s) => /^(\.|%2e)(\.|%2e)$/i.test(s);
const isDrive = (s) => /^[a-z][:|]$/i.test(s);
const isNormalDrive = (s) => /^[a-z]:$/i.test(s);
const startsWithDrive = (s) => /^[a-z][:|]([/\\?#]|$)/i.test(s);

function shorten(url) {
  if (url.scheme === "file" && url.path.length === 1 && isNormalDrive(url.path[0])) return;
  url.path.pop();
}

// parsePath appends the segments of text to url.path.
function parsePath(url, text) {
  const segments = text.split(isSpecial(url.scheme) ? /[/\\]/ : "/");
  segments.forEach((raw, i) => {
    const last = i === segments.length - 1;
    let segment = percentEncode(raw, pathSet);
    if (isDotDot(segment)) {
      shorten(url);
      if (last) url.path.push("");
    } else if (isDot(segment)) {
      if (last) url.path.push("");
    } else {
      if (url.scheme === "file" && url.path.length === 0 && isDrive(segment)) segment = segment[0] + ":";
      url.path.push(segment);
    }
  });
}

// ---- the parser -----------------------------------------------------------------
const blank = (scheme) => ({
  scheme, username: "", password: "", host: null, port: null, path: [], query: null, fragment: null,
});

// parseUrl returns the record, or null if the text is not a URL.
function parseUrl(input, base) {
  let text = input.replace(/^[\0-\x20]+|[\0-\x20]+$/g, "").replace(/[\t\n\r]/g, "").toWellFormed();
  let fragment = null;
  const hash = text.indexOf("#");
  if (hash >= 0) {
    fragment = percentEncode(text.slice(hash + 1), fragmentSet);
    text = text.slice(0, hash);
  }
  const scheme = /^([a-z][a-z0-9+\-.]*):/i.exec(text);
  let url;
  if (scheme) url = parseAbsolute(scheme[1].toLowerCase(), text.slice(scheme[0].length), base);
  else if (!base) return null;
  else if (typeof base.path === "string") {
    if (hash < 0 || text !== "") return null;
    url = { ...base };
  } else if (base.scheme === "file") url = parseFile(text, base);
  else url = parseRelative(text, base);
  if (url) url.fragment = fragment;
  return url;
}

function parseAbsolute(scheme, rest, base) {
  if (scheme === "file") return parseFile(rest, base?.scheme === "file" ? base : null);
  if (isSpecial(scheme)) {
    if (base?.scheme === scheme && !/^[/\\]{2}/.test(rest)) return parseRelative(rest, base);
    return parseAuthority(blank(scheme), rest.replace(/^[/\\]+/, ""));
  }
  const url = blank(scheme);
  if (rest.startsWith("//")) return parseAuthority(url, rest.slice(2));
  const before = splitQuery(url, rest);
  if (before.startsWith("/")) parsePath(url, before.slice(1));
  else url.path = percentEncode(before, inC0);
  return url;
}

// splitQuery takes the query off text and returns what stands before it.
function splitQuery(url, text) {
  const at = text.indexOf("?");
  if (at < 0) return text;
  url.query = percentEncode(text.slice(at + 1), isSpecial(url.scheme) ? specialQuerySet : querySet);
  return text.slice(0, at);
}

function parseRelative(text, base) {
  const url = { ...base, path: [...base.path], query: null, fragment: null };
  const slash = isSpecial(url.scheme) ? /^[/\\]/ : /^\//;
  if (slash.test(text)) {
    if (slash.test(text.slice(1))) {
      const rest = isSpecial(url.scheme) ? text.replace(/^[/\\]+/, "") : text.slice(2);
      return parseAuthority(blank(url.scheme), rest);
    }
    url.path = [];
    parsePath(url, splitQuery(url, text).slice(1));
    return url;
  }
  const before = splitQuery(url, text);
  if (before === "") {
    if (url.query === null) url.query = base.query;
    return url;
  }
  shorten(url);
  parsePath(url, before);
  return url;
}

function parseAuthority(url, text) {
  const special = isSpecial(url.scheme);
  const end = text.search(special ? /[/\\?]/ : /[/?]/);
  let authority = end < 0 ? text : text.slice(0, end);
  const rest = end < 0 ? "" : text.slice(end);
  const at = authority.lastIndexOf("@");
  if (at >= 0) {
    const info = authority.slice(0, at);
    authority = authority.slice(at + 1);
    if (authority === "") return null;
    const colon = info.indexOf(":");
    url.username = percentEncode(colon < 0 ? info : info.slice(0, colon), userinfoSet);
    url.password = colon < 0 ? "" : percentEncode(info.slice(colon + 1), userinfoSet);
  }
  if (!parseHostPort(url, authority)) return null;
  const before = splitQuery(url, rest);
  if (before !== "") parsePath(url, before.slice(1));
  else if (special) url.path = [""];
  return url;
}

function parseHostPort(url, authority) {
  const special = isSpecial(url.scheme);
  const m = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(authority);
  if (!m) return false;
  if (m[1] === "" && (special || m[2] !== undefined)) return false;
  url.host = m[1] === "" ? "" : parseHost(m[1], special);
  if (url.host === null) return false;
  return m[2] ? setPort(url, m[2]) : true;
}

function setPort(url, digits) {
  if (!/^[0-9]+$/.test(digits) || Number(digits) > 65535) return false;
  url.port = Number(digits) === specialPorts[url.scheme] ? null : Number(digits);
  return true;
}

function parseFile(text, base) {
  const url = blank("file");
  url.host = "";
  if (/^[/\\]{2}/.test(text)) {
    const rest = text.slice(2);
    const end = rest.search(/[/\\?]/);
    const name = end < 0 ? rest : rest.slice(0, end);
    let after = end < 0 ? "" : rest.slice(end);
    if (isDrive(name)) after = "/" + rest;
    else if (name !== "") {
      url.host = parseHost(name, true);
      if (url.host === null) return null;
      if (url.host === "localhost") url.host = "";
    }
    parsePath(url, splitQuery(url, after).replace(/^[/\\]/, ""));
    return url;
  }
  if (/^[/\\]/.test(text)) {
    if (base) {
      url.host = base.host;
      if (!startsWithDrive(text.slice(1)) && base.path.length > 0 && isNormalDrive(base.path[0])) url.path.push(base.path[0]);
    }
    parsePath(url, splitQuery(url, text).slice(1));
    return url;
  }
  if (!base) {
    parsePath(url, splitQuery(url, text));
    return url;
  }
  Object.assign(url, { host: base.host, path: [...base.path] });
  const before = splitQuery(url, text);
  if (before === "") {
    if (url.query === null) url.query = base.query;
    return url;
  }
  if (startsWithDrive(text)) url.path = [];
  else shorten(url);
  parsePath(url, before);
  return url;
}

// ---- the way back -----------------------------------------------------------------
function serializePath(url) {
  if (typeof url.path === "string") return url.path;
  return url.path.map((segment) => "/" + segment).join("");
}

function serializeUrl(url, withFragment = true) {
  let out = url.scheme + ":";
  if (url.host !== null) {
    out += "//";
    if (url.username !== "" || url.password !== "") {
      out += url.username + (url.password !== "" ? ":" + url.password : "") + "@";
    }
    out += url.host + (url.port !== null ? ":" + url.port : "");
  } else if (typeof url.path !== "string" && url.path.length > 1 && url.path[0] === "") out += "/.";
  out += serializePath(url);
  if (url.query !== null) out += "?" + url.query;
  if (withFragment && url.fragment !== null) out += "#" + url.fragment;
  return out;
}

export {
  parseUrl, serializeUrl, serializePath, parseHost, parsePath, setPort, isSpecial, specialPorts, percentEncode,
  percentDecode, fragmentSet, querySet, specialQuerySet, userinfoSet,
};

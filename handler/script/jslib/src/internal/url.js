// URL and URLSearchParams.
import {
  fragmentSet, isSpecial, parseHost, parsePath, parseUrl, percentDecode, percentEncode, querySet, serializePath,
  serializeUrl, setPort, specialPorts, specialQuerySet, userinfoSet,
} from "internal:urlparse";
import { invalidArgType, nodeError } from "internal:errors";

const inspectKey = Symbol.for("nodejs.util.inspect.custom");

function formEncode(text) {
  return percentEncode(text.toWellFormed(), (c) => !/[A-Za-z0-9*\-._ ]/.test(String.fromCharCode(c)) || c > 0x7e).replaceAll(" ", "+");
}

function formDecode(text) {
  return percentDecode(text.replaceAll("+", " "));
}

class URLSearchParams {
  #list = [];
  #changed;

  constructor(init = undefined, onChange) {
    if (init === undefined || init === null) {
      // Empty.
    } else if (typeof init === "object" || typeof init === "function") {
      const iterator = init[Symbol.iterator];
      if (typeof iterator === "function") {
        for (const pair of init) {
          const items = typeof pair === "object" && pair !== null && typeof pair[Symbol.iterator] === "function" ? [...pair] : null;
          if (items?.length !== 2) throw nodeError(TypeError, "ERR_INVALID_TUPLE", "Each query pair must be an iterable [name, value] tuple");
          this.#list.push([String(items[0]).toWellFormed(), String(items[1]).toWellFormed()]);
        }
      } else {
        for (const key of Reflect.ownKeys(init)) {
          if (Object.prototype.propertyIsEnumerable.call(init, key)) this.#list.push([String(key), String(init[key]).toWellFormed()]);
        }
      }
    } else this.#parse(String(init).toWellFormed().replace(/^\?/, ""));
    this.#changed = typeof onChange === "function" ? onChange : undefined;
  }

  #parse(text) {
    this.#list = text.split("&").filter((part) => part !== "").map((part) => {
      const at = part.indexOf("=");
      return at < 0 ? [formDecode(part), ""] : [formDecode(part.slice(0, at)), formDecode(part.slice(at + 1))];
    });
  }

  static _reset(params, query) {
    params.#parse(query ?? "");
  }

  get size() { return this.#list.length; }
  append(name, value) {
    if (arguments.length < 2) throw nodeError(TypeError, "ERR_MISSING_ARGS", 'The "name" and "value" arguments must be specified');
    this.#list.push([String(name).toWellFormed(), String(value).toWellFormed()]);
    this.#changed?.();
  }
  delete(name, value) {
    this.#list = this.#list.filter(([k, v]) => k !== String(name) || (value !== undefined && v !== String(value)));
    this.#changed?.();
  }
  get(name) { return this.#list.find(([k]) => k === String(name))?.[1] ?? null; }
  getAll(name) { return this.#list.filter(([k]) => k === String(name)).map(([, v]) => v); }
  has(name, value) {
    return this.#list.some(([k, v]) => k === String(name) && (value === undefined || v === String(value)));
  }
  set(name, value) {
    [name, value] = [String(name).toWellFormed(), String(value).toWellFormed()];
    const at = this.#list.findIndex(([k]) => k === name);
    if (at < 0) this.#list.push([name, value]);
    else {
      this.#list[at][1] = value;
      this.#list = this.#list.filter(([k], i) => i <= at || k !== name);
    }
    this.#changed?.();
  }
  sort() {
    this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#changed?.();
  }
  forEach(callback, thisArg) {
    if (typeof callback !== "function") throw invalidArgType("callback", "of type function", callback);
    for (const [k, v] of this.#list) callback.call(thisArg, v, k, this);
  }
  *entries() { for (const [k, v] of this.#list) yield [k, v]; }
  *keys() { for (const [k] of this.#list) yield k; }
  *values() { for (const [, v] of this.#list) yield v; }
  [Symbol.iterator]() { return this.entries(); }
  toString() { return this.#list.map(([k, v]) => `${formEncode(k)}=${formEncode(v)}`).join("&"); }
  get [Symbol.toStringTag]() { return "URLSearchParams"; }
  [inspectKey](depth, options, inspect) {
    const pairs = this.#list.map(([k, v]) => `${inspect(k, options)} => ${inspect(v, options)}`);
    return pairs.length === 0 ? "URLSearchParams {}" : `URLSearchParams { ${pairs.join(", ")} }`;
  }
}
const resetParams = URLSearchParams._reset;
delete URLSearchParams._reset;

class URL {
  #url;
  #params;

  constructor(input, base = undefined) {
    if (arguments.length === 0) throw nodeError(TypeError, "ERR_MISSING_ARGS", 'The "url" argument must be specified');
    input = String(input);
    this.#url = parseWithBase(input, base);
    if (this.#url === null) {
      const props = { input };
      if (base !== undefined) props.base = String(base);
      throw nodeError(TypeError, "ERR_INVALID_URL", "Invalid URL", props);
    }
  }

  static canParse(input, base = undefined) { return parseWithBase(String(input), base) !== null; }
  static parse(input, base = undefined) { return URL.canParse(input, base) ? new URL(input, base) : null; }
  static createObjectURL() { throw new globalThis.DOMException("object URLs are not supported here", "NotSupportedError"); }
  static revokeObjectURL() {}

  get href() { return serializeUrl(this.#url); }
  set href(value) {
    const url = parseUrl(String(value));
    if (url === null) throw nodeError(TypeError, "ERR_INVALID_URL", "Invalid URL", { input: String(value) });
    this.#url = url;
    this.#syncParams();
  }
  get origin() {
    const { scheme, path } = this.#url;
    if (scheme === "blob" && typeof path === "string") {
      const inner = parseUrl(path);
      return inner && ["http", "https"].includes(inner.scheme) ? new URL(path).origin : "null";
    }
    return isSpecial(scheme) && scheme !== "file" ? `${scheme}://${this.host}` : "null";
  }
  get protocol() { return this.#url.scheme + ":"; }
  set protocol(value) {
    const m = /^([a-z][a-z0-9+\-.]*)(:|$)/i.exec(String(value));
    const scheme = m?.[1].toLowerCase();
    if (!scheme || isSpecial(scheme) !== isSpecial(this.#url.scheme)) return;
    if (scheme === "file" && (this.username || this.password || this.#url.port !== null)) return;
    if (this.#url.scheme === "file" && this.#url.host === "") return;
    this.#url.scheme = scheme;
    if (this.#url.port === specialPorts[scheme]) this.#url.port = null;
  }
  get username() { return this.#url.username; }
  set username(value) { if (this.#mayHaveCredentials()) this.#url.username = percentEncode(String(value).toWellFormed(), userinfoSet); }
  get password() { return this.#url.password; }
  set password(value) { if (this.#mayHaveCredentials()) this.#url.password = percentEncode(String(value).toWellFormed(), userinfoSet); }
  #mayHaveCredentials() { return this.#url.host !== null && this.#url.host !== "" && this.#url.scheme !== "file"; }

  get host() { return this.hostname + (this.#url.port === null ? "" : `:${this.#url.port}`); }
  set host(value) {
    const m = /^(\[[^\]]*\]|[^:/?#\\]*)(?::(\d*))?/.exec(clean(value));
    if (this.#setHost(m[1]) && m[2]) setPort(this.#url, m[2]);
  }
  get hostname() { return this.#url.host ?? ""; }
  set hostname(value) {
    const m = /^(\[[^\]]*\]|[^:/?#\\]*)(.?)/.exec(clean(value));
    if (m[2] !== ":") this.#setHost(m[1]);
  }
  #setHost(text) {
    if (typeof this.#url.path === "string") return false;
    if (text === "" && isSpecial(this.#url.scheme) && this.#url.scheme !== "file") return false;
    const host = text === "" ? "" : parseHost(text, isSpecial(this.#url.scheme));
    if (host === null) return false;
    this.#url.host = host;
    return true;
  }
  get port() { return this.#url.port === null ? "" : String(this.#url.port); }
  set port(value) {
    if (!this.#mayHaveCredentials()) return;
    const text = clean(value);
    if (text === "") this.#url.port = null;
    else {
      const digits = /^\d+/.exec(text);
      if (digits) setPort(this.#url, digits[0]);
    }
  }
  get pathname() { return serializePath(this.#url); }
  set pathname(value) {
    if (typeof this.#url.path === "string") return;
    const special = isSpecial(this.#url.scheme);
    this.#url.path = [];
    parsePath(this.#url, clean(value).replace(special ? /^[/\\]/ : /^\//, "").replaceAll("#", "%23"));
  }
  get search() { return this.#url.query ? "?" + this.#url.query : ""; }
  set search(value) {
    const text = clean(value).replace(/^\?/, "");
    this.#url.query = String(value) === "" ? null : percentEncode(text.toWellFormed(), isSpecial(this.#url.scheme) ? specialQuerySet : querySet);
    this.#syncParams();
  }
  get searchParams() {
    this.#params ??= new URLSearchParams(this.#url.query ?? "", () => {
      const text = this.#params.toString();
      this.#url.query = text === "" ? null : text;
    });
    return this.#params;
  }
  #syncParams() { if (this.#params) resetParams(this.#params, this.#url.query); }
  get hash() { return this.#url.fragment ? "#" + this.#url.fragment : ""; }
  set hash(value) {
    const text = clean(value).replace(/^#/, "");
    this.#url.fragment = String(value) === "" ? null : percentEncode(text.toWellFormed(), fragmentSet);
  }
  toString() { return this.href; }
  toJSON() { return this.href; }
  get [Symbol.toStringTag]() { return "URL"; }

  [inspectKey](depth, options, inspect) {
    if (typeof depth === "number" && depth < 0) return "[URL]";
    const shown = {};
    for (const key of ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "searchParams", "hash"]) {
      shown[key] = this[key];
    }
    Object.defineProperty(shown, "constructor", { value: URL, enumerable: false });
    return `URL ${inspect(shown, options).replace(/^URL /, "")}`;
  }
}

const clean = (value) => String(value).replace(/[\t\n\r]/g, "");

function parseWithBase(input, base) {
  if (base === undefined) return parseUrl(input);
  const record = parseUrl(String(base));
  return record === null ? null : parseUrl(input, record);
}

for (const proto of [URL.prototype, URLSearchParams.prototype]) {
  for (const [name, d] of Object.entries(Object.getOwnPropertyDescriptors(proto))) {
    if (name !== "constructor") Object.defineProperty(proto, name, { ...d, enumerable: true });
  }
}

export { URL, URLSearchParams };

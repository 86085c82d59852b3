// Headers and FormData.
import { Blob, File } from "internal:blob";

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function headerName(name, method = "append") {
  name = String(name);
  if (!token.test(name)) throw new TypeError(`Headers.${method}: "${name}" is an invalid header name.`);
  return name.toLowerCase();
}

function headerValue(value, method = "append") {
  const text = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
  if (/[\0\n\r]|[^\x00-\xff]/.test(text)) throw new TypeError(`Headers.${method}: "${text}" is an invalid header value.`);
  return text;
}

class Headers {
  #map = new Map();
  constructor(init) {
    if (init === undefined || init === null) return;
    if (typeof init !== "object") throw new TypeError("Headers constructor: init is not an object");
    const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
    for (const pair of pairs) {
      if (pair.length !== 2) throw new TypeError("Headers constructor: expected name/value pair to be length 2");
      this.append(pair[0], pair[1]);
    }
  }
  append(name, value) {
    name = headerName(name);
    const list = this.#map.get(name) ?? [];
    this.#map.set(name, [...list, headerValue(value)]);
  }
  delete(name) { this.#map.delete(headerName(name)); }
  get(name) {
    const key = headerName(name);
    return this.#map.get(key)?.join(key === "cookie" ? "; " : ", ") ?? null;
  }
  getSetCookie() { return [...(this.#map.get("set-cookie") ?? [])]; }
  has(name) { return this.#map.has(headerName(name)); }
  set(name, value) { this.#map.set(headerName(name, "set"), [headerValue(value, "set")]); }
  forEach(callback, thisArg) { for (const [k, v] of this) callback.call(thisArg, v, k, this); }
  *entries() {
    for (const key of [...this.#map.keys()].sort()) {
      if (key === "set-cookie") for (const value of this.#map.get(key)) yield [key, value];
      else yield [key, this.get(key)];
    }
  }
  *keys() { for (const [k] of this.entries()) yield k; }
  *values() { for (const [, v] of this.entries()) yield v; }
  [Symbol.iterator]() { return this.entries(); }
  get [Symbol.toStringTag]() { return "Headers"; }
  [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) {
    return `Headers ${inspect(Object.fromEntries(this), options)}`;
  }
}

class FormData {
  #list = [];
  constructor(form) {
    if (form !== undefined) throw new TypeError("FormData constructor: Argument 1 could not be converted to: undefined");
  }
  static #value(value, filename) {
    if (!(value instanceof Blob)) return String(value).toWellFormed();
    if (value instanceof File && filename === undefined) return value;
    return new File([value], filename ?? (value instanceof File ? value.name : "blob"), { type: value.type });
  }
  append(name, value, filename) { this.#list.push([String(name), FormData.#value(value, filename)]); }
  set(name, value, filename) {
    const entry = [String(name), FormData.#value(value, filename)];
    const at = this.#list.findIndex(([k]) => k === entry[0]);
    if (at < 0) this.#list.push(entry);
    else this.#list = this.#list.flatMap((e, i) => (i === at ? [entry] : e[0] === entry[0] ? [] : [e]));
  }
  delete(name) { this.#list = this.#list.filter(([k]) => k !== String(name)); }
  get(name) { return this.#list.find(([k]) => k === String(name))?.[1] ?? null; }
  getAll(name) { return this.#list.filter(([k]) => k === String(name)).map(([, v]) => v); }
  has(name) { return this.#list.some(([k]) => k === String(name)); }
  forEach(callback, thisArg) { for (const [k, v] of this.#list) callback.call(thisArg, v, k, this); }
  *entries() { for (const [k, v] of this.#list) yield [k, v]; }
  *keys() { for (const [k] of this.#list) yield k; }
  *values() { for (const [, v] of this.#list) yield v; }
  [Symbol.iterator]() { return this.entries(); }
  get [Symbol.toStringTag]() { return "FormData"; }
}

export { Headers, FormData };

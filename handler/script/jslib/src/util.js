// node:util
import { TextDecoder, TextEncoder } from "internal:encoding";
import { deepEqual } from "internal:deepequal";
import { invalidArgType, invalidArgValue, nodeError, outOfRange, requireFunction, requireString } from "internal:errors";
import { colors, format, formatWithOptions, inspect } from "internal:inspect";
import { parseArgs } from "internal:parseargs";
import * as types from "node:util/types";
import { sync } from "hookline:host";

const promisified = Symbol.for("nodejs.util.promisify.custom");

function promisify(original) {
  requireFunction(original, "original");
  if (original[promisified]) {
    requireFunction(original[promisified], "util.promisify.custom");
    return Object.defineProperty(original[promisified], promisified, { value: original[promisified], configurable: true });
  }
  function fn(...args) {
    return new Promise((resolve, reject) => {
      original.call(this, ...args, (err, ...values) => {
        if (err) reject(err);
        else resolve(values[0]);
      });
    });
  }
  Object.setPrototypeOf(fn, Object.getPrototypeOf(original));
  Object.defineProperties(fn, Object.getOwnPropertyDescriptors(original));
  return Object.defineProperty(fn, promisified, { value: fn, configurable: true });
}
promisify.custom = promisified;

function callbackify(original) {
  requireFunction(original, "original");
  const fn = function (...args) {
    const callback = args.pop();
    requireFunction(callback, "last argument");
    Promise.resolve(original.apply(this, args)).then(
      (value) => globalThis.process.nextTick(callback, null, value),
      (reason) => {
        const err = reason || nodeError(Error, "ERR_FALSY_VALUE_REJECTION", "Promise was rejected with falsy value", { reason });
        globalThis.process.nextTick(callback, err);
      },
    );
  };
  Object.defineProperty(fn, "name", { value: `${original.name}Callbackified` });
  return fn;
}

function deprecate(fn, message, code) {
  let warned = false;
  return function (...args) {
    if (!warned) {
      warned = true;
      globalThis.process.emitWarning(message, "DeprecationWarning", code);
    }
    return new.target ? Reflect.construct(fn, args, new.target) : fn.apply(this, args);
  };
}

function inherits(ctor, parent) {
  if (typeof ctor !== "function") throw invalidArgType("ctor", "of type function", ctor);
  if (typeof parent !== "function") throw invalidArgType("superCtor", "of type function", parent);
  if (parent.prototype === undefined) throw invalidArgType("superCtor.prototype", "of type object", parent.prototype);
  Object.defineProperty(ctor, "super_", { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(ctor.prototype, parent.prototype);
}

function styleText(style, text) {
  requireString(text, "text");
  const names = Array.isArray(style) ? style : [style];
  let open = "";
  let close = "";
  for (const name of names) {
    const pair = colors[name];
    if (!pair) {
      const known = Object.keys(colors).map((c) => `'${c}'`).join(", ");
      throw invalidArgValue("format", name, `must be one of: ${known}`);
    }
    open += `\u001b[${pair[0]}m`;
    close = `\u001b[${pair[1]}m${close}`;
  }
  return open + text + close;
}

function stripVTControlCharacters(text) {
  requireString(text, "str");
  return text.replace(
    /[\u001b\u009b][[\]()#;?]*(?:(?:(?:[a-zA-Z\d]*(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?(?:\u0007|\u001b\\))|(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-ntqry=><~])/g,
    "",
  );
}

const isDeepStrictEqual = (a, b) => deepEqual(a, b, true);
const toUSVString = (text) => String(text).toWellFormed();

function debuglog(set) {
  const wanted = (globalThis.process.env.NODE_DEBUG ?? "").toLowerCase().split(",");
  const enabled = wanted.includes(set.toLowerCase());
  const log = (...args) => {
    if (enabled) globalThis.console.error(`${set.toUpperCase()} ${globalThis.process.pid}: ${format(...args)}`);
  };
  return Object.defineProperty(log, "enabled", { get: () => enabled });
}

function getSystemErrorMap() {
  return new Map(Object.entries(sync("node.os.errnos")).map(([name, { errno, message }]) => [-errno, [name, message]]));
}

function getSystemErrorName(err) {
  if (typeof err !== "number") throw invalidArgType("err", "of type number", err);
  if (err >= 0) throw outOfRange("err", "a negative integer", err);
  return getSystemErrorMap().get(err)?.[0] ?? `Unknown system error ${err}`;
}

function aborted(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

class MIMEParams extends Map {
  toString() {
    const quoteValue = (v) => (/^[!#$%&'*+.^_`|~\w-]+$/.test(v) ? v : `"${v.replace(/["\\]/g, "\\$&")}"`);
    return Array.from(this, ([k, v]) => `${k}=${quoteValue(v)}`).join(";");
  }
}

class MIMEType {
  constructor(input) {
    const m = /^\s*([!#$%&'*+.^_`|~\w-]+)\/([!#$%&'*+.^_`|~\w-]+)\s*(;.*)?$/.exec(String(input));
    if (!m) throw nodeError(TypeError, "ERR_INVALID_MIME_SYNTAX", `The MIME syntax for a type in "${input}" is invalid`);
    this.type = m[1].toLowerCase();
    this.subtype = m[2].toLowerCase();
    this.params = new MIMEParams();
    for (const p of (m[3] ?? "").matchAll(/;\s*([^=;\s]+)=(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g)) {
      const key = p[1].toLowerCase();
      if (!this.params.has(key)) this.params.set(key, p[2] !== undefined ? p[2].replace(/\\(.)/g, "$1") : p[3].trim());
    }
  }
  get essence() { return `${this.type}/${this.subtype}`; }
  toString() { return this.params.size > 0 ? `${this.essence};${this.params}` : this.essence; }
  toJSON() { return this.toString(); }
}

// The old type checks, still in use.
const isArray = Array.isArray;
const isBoolean = (v) => typeof v === "boolean";
const isNull = (v) => v === null;
const isNullOrUndefined = (v) => v === null || v === undefined;
const isNumber = (v) => typeof v === "number";
const isString = (v) => typeof v === "string";
const isSymbol = (v) => typeof v === "symbol";
const isUndefined = (v) => v === undefined;
const isRegExp = types.isRegExp;
const isObject = (v) => v !== null && typeof v === "object";
const isDate = types.isDate;
const isError = (v) => types.isNativeError(v) || v instanceof Error;
const isFunction = (v) => typeof v === "function";
const isPrimitive = (v) => v === null || (typeof v !== "object" && typeof v !== "function");
const debug = debuglog;
const log = (...args) => globalThis.console.log(format(...args));

export {
  TextDecoder, TextEncoder, MIMEType, MIMEParams, aborted, callbackify, debug, debuglog, deprecate, format,
  formatWithOptions, getSystemErrorMap, getSystemErrorName, inherits, inspect, isArray, isBoolean, isDate,
  isDeepStrictEqual, isError, isFunction, isNull, isNullOrUndefined, isNumber, isObject, isPrimitive, isRegExp,
  isString, isSymbol, isUndefined, log, parseArgs, promisify, stripVTControlCharacters, styleText, toUSVString, types,
};

// structuredClone.
import { DOMException } from "internal:domexception";
import { Blob } from "internal:blob";

const errorTypes = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
const typedArray = Object.getPrototypeOf(Uint8Array);

function refuse(value) {
  const text = typeof value === "function" ? String(value) : typeof value === "symbol" ? value.toString() : "#<Object>";
  return new DOMException(`${text} could not be cloned.`, "DataCloneError");
}

function structuredClone(value, options = {}) {
  if (arguments.length === 0) throw new TypeError("The \"value\" argument must be specified");
  const seen = new Map();
  for (const item of options?.transfer ?? []) {
    if (!(item instanceof ArrayBuffer)) throw new DOMException("Value not transferable", "DataCloneError");
    seen.set(item, null);
  }
  const copy = clone(value, seen);
  for (const item of options?.transfer ?? []) item.transfer();
  return copy;
}

function clone(value, seen) {
  if (typeof value === "symbol" || typeof value === "function") throw refuse(value);
  if (typeof value !== "object" || value === null) return value;
  if (seen.get(value)) return seen.get(value);
  const keep = (copy) => (seen.set(value, copy), copy);

  if (Array.isArray(value)) {
    const copy = keep(new Array(value.length));
    for (const key of Object.keys(value)) copy[key] = clone(value[key], seen);
    return copy;
  }
  if (value instanceof Date) return keep(new Date(value.getTime()));
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
  for (const Box of [Boolean, Number, String, BigInt]) {
    if (value instanceof Box) return keep(Object(Box.prototype.valueOf.call(value)));
  }
  if (value instanceof Map) {
    const copy = keep(new Map());
    for (const [k, v] of [...value]) copy.set(clone(k, seen), clone(v, seen));
    return copy;
  }
  if (value instanceof Set) {
    const copy = keep(new Set());
    for (const item of [...value]) copy.add(clone(item, seen));
    return copy;
  }
  if (value instanceof ArrayBuffer) return keep(value.slice(0));
  if (value instanceof DataView) return keep(new DataView(clone(value.buffer, seen), value.byteOffset, value.byteLength));
  if (value instanceof typedArray) {
    const Type = globalThis[value[Symbol.toStringTag]];
    return keep(new Type(clone(value.buffer, seen), value.byteOffset, value.length));
  }
  if (value instanceof Error) return cloneError(value, seen, keep);
  if (value instanceof Blob) return keep(value.slice(0, value.size, value.type));
  for (const Kind of [Promise, WeakMap, WeakSet, WeakRef]) {
    if (value instanceof Kind) throw new DOMException(`#<${Kind.name}> could not be cloned.`, "DataCloneError");
  }
  const copy = keep({});
  for (const key of Object.keys(value)) {
    Object.defineProperty(copy, key, { value: clone(value[key], seen), writable: true, enumerable: true, configurable: true });
  }
  return copy;
}

function cloneError(value, seen, keep) {
  const Type = errorTypes[value.name] ?? Error;
  const fresh = keep(new Type());
  const hidden = (name, v) => Object.defineProperty(fresh, name, { value: v, writable: true, configurable: true });
  if (Object.hasOwn(value, "message")) hidden("message", String(value.message));
  if (typeof value.stack === "string") hidden("stack", value.stack);
  if (Object.hasOwn(value, "cause")) hidden("cause", clone(value.cause, seen));
  return fresh;
}

export { structuredClone };

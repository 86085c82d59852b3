// Deep equality, strict and loose, for util and assert.
import * as types from "node:util/types";

function ownKeys(value, strict) {
  const keys = Object.keys(value);
  if (!strict) return keys;
  const symbols = Object.getOwnPropertySymbols(value);
  return [...keys, ...symbols.filter((s) => Object.prototype.propertyIsEnumerable.call(value, s))];
}

function deepEqual(a, b, strict, pairs = []) {
  if (strict ? Object.is(a, b) : a === b) return true;
  const objects = typeof a === "object" && a !== null && typeof b === "object" && b !== null;
  if (!objects) {
    if (strict || typeof a === "function" || typeof b === "function") return false;
    // The loose comparison is the point.
    return (typeof a !== "object" || a === null) && (typeof b !== "object" || b === null) && (a == b || (a !== a && b !== b));
  }
  if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const tag = (v) => Object.prototype.toString.call(v);
  if (tag(a) !== tag(b)) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && a.length !== b.length) return false;
  if (!sameInternals(a, b, strict)) return false;

  const known = pairs.find((p) => p[0] === a);
  if (known && known[1] === b) return true;
  pairs.push([a, b]);
  try {
    return sameMembers(a, b, strict, pairs);
  } finally {
    pairs.pop();
  }
}

// sameInternals compares what is not in properties.
function sameInternals(a, b, strict) {
  for (const is of [types.isDate, types.isRegExp, types.isNativeError, types.isMap, types.isSet, types.isAnyArrayBuffer, types.isArrayBufferView, types.isBoxedPrimitive]) {
    if (is(a) !== is(b)) return false;
  }
  if (types.isDate(a)) return Object.is(Date.prototype.getTime.call(a), Date.prototype.getTime.call(b));
  if (types.isRegExp(a)) return a.source === b.source && a.flags === b.flags && a.lastIndex === b.lastIndex;
  if (types.isNativeError(a)) return a.message === b.message && a.name === b.name;
  if (types.isBoxedPrimitive(a)) return Object.is(a.valueOf(), b.valueOf());
  if (types.isPromise(a) || types.isWeakMap(a) || types.isWeakSet(a)) return false;
  if (types.isAnyArrayBuffer(a)) return sameBytes(new Uint8Array(a), new Uint8Array(b));
  if (types.isArrayBufferView(a)) {
    if (a.byteLength !== b.byteLength) return false;
    if (/^Float/.test(a[Symbol.toStringTag])) return a.every((n, i) => (strict ? Object.is(n, b[i]) : n === b[i] || (n !== n && b[i] !== b[i])));
    return sameBytes(new Uint8Array(a.buffer, a.byteOffset, a.byteLength), new Uint8Array(b.buffer, b.byteOffset, b.byteLength));
  }
  return true;
}

function sameBytes(a, b) {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function sameMembers(a, b, strict, pairs) {
  if (types.isSet(a) && !sameSets(a, b, strict, pairs)) return false;
  if (types.isMap(a) && !sameMaps(a, b, strict, pairs)) return false;
  const skipIndexes = types.isTypedArray(a);
  const keep = (k) => !skipIndexes || typeof k === "symbol" || !/^\d+$/.test(k);
  const keys = ownKeys(a, strict).filter(keep);
  if (keys.length !== ownKeys(b, strict).filter(keep).length) return false;
  if (types.isNativeError(a)) {
    for (const hidden of ["cause", "errors"]) {
      if (Object.hasOwn(a, hidden) !== Object.hasOwn(b, hidden)) return false;
      if (Object.hasOwn(a, hidden) && !deepEqual(a[hidden], b[hidden], strict, pairs)) return false;
    }
  }
  return keys.every((k) => Object.prototype.propertyIsEnumerable.call(b, k) && deepEqual(a[k], b[k], strict, pairs));
}

function sameSets(a, b, strict, pairs) {
  if (a.size !== b.size) return false;
  const rest = [...b];
  for (const item of a) {
    let at = rest.findIndex((other) => Object.is(other, item));
    if (at < 0) at = rest.findIndex((other) => deepEqual(item, other, strict, pairs));
    if (at < 0) return false;
    rest.splice(at, 1);
  }
  return true;
}

function sameMaps(a, b, strict, pairs) {
  if (a.size !== b.size) return false;
  const rest = [...b];
  for (const [key, value] of a) {
    const at = rest.findIndex(([k, v]) => deepEqual(key, k, strict, pairs) && deepEqual(value, v, strict, pairs));
    if (at < 0) return false;
    rest.splice(at, 1);
  }
  return true;
}

export { deepEqual };

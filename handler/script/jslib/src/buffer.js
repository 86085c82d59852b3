// node:buffer. Buffer is a Uint8Array whose prototype carries Node's methods.
import {
  atob, bytesOf, bytesToLatin1, btoa, fromBase64, fromHex, latin1ToBytes, toBase64, toHex,
  utf16Decode, utf8Decode, utf8Encode, utf8Length,
} from "internal:encoding";
import { describe, invalidArgType, invalidArgValue, nodeError, outOfRange } from "internal:errors";
import { Blob, File } from "internal:blob";

const kMaxLength = 2 ** 32;
const constants = { MAX_LENGTH: kMaxLength, MAX_STRING_LENGTH: 2 ** 29 - 24 };

class FastBuffer extends Uint8Array {}

// ---- encodings ----------------------------------------------------------------
function utf16Bytes(text) {
  const bytes = new Uint8Array(text.length * 2);
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    bytes[2 * i] = c & 0xff;
    bytes[2 * i + 1] = c >> 8;
  }
  return bytes;
}

const codecs = {
  utf8: { encode: utf8Encode, decode: utf8Decode, length: utf8Length },
  utf16le: { encode: utf16Bytes, decode: (bytes) => utf16Decode(bytes), length: (s) => s.length * 2 },
  latin1: { encode: latin1ToBytes, decode: bytesToLatin1, length: (s) => s.length },
  ascii: {
    encode: latin1ToBytes,
    decode: (bytes) => bytesToLatin1(Uint8Array.prototype.map.call(new Uint8Array(bytes), (b) => b & 0x7f)),
    length: (s) => s.length,
  },
  hex: { encode: fromHex, decode: toHex, length: (s) => s.length >>> 1 },
  base64: { encode: fromBase64, decode: (bytes) => toBase64(bytes, false), length: base64Length },
  base64url: { encode: fromBase64, decode: (bytes) => toBase64(bytes, true), length: base64Length },
};
const aliases = { "utf-8": "utf8", ucs2: "utf16le", "ucs-2": "utf16le", "utf-16le": "utf16le", binary: "latin1" };

function base64Length(text) {
  let n = text.length;
  if (text.endsWith("==")) n -= 2;
  else if (text.endsWith("=")) n -= 1;
  return Math.floor((n * 3) / 4);
}

function encodingName(encoding) {
  const name = String(encoding).toLowerCase();
  const known = aliases[name] ?? name;
  return Object.hasOwn(codecs, known) ? known : undefined;
}

function codecOf(encoding) {
  if (encoding === undefined || encoding === null || encoding === "") return codecs.utf8;
  const name = encodingName(encoding);
  if (!name) throw nodeError(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${encoding}`);
  return codecs[name];
}

// ---- construction ---------------------------------------------------------------
function checkSize(size) {
  if (typeof size !== "number") throw invalidArgType("size", "of type number", size);
  if (!(size >= 0 && size <= kMaxLength)) throw outOfRange("size", `>= 0 && <= ${kMaxLength}`, size);
}

const view = (bytes) => new FastBuffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function Buffer(arg, encodingOrOffset, length) {
  if (typeof arg === "number") {
    if (typeof encodingOrOffset === "string") throw invalidArgType("string", "of type string", arg);
    return Buffer.alloc(arg);
  }
  return Buffer.from(arg, encodingOrOffset, length);
}
Object.setPrototypeOf(Buffer, Uint8Array);
Buffer.prototype = FastBuffer.prototype;
Object.defineProperty(FastBuffer.prototype, "constructor", { value: Buffer, writable: true, configurable: true });
Object.defineProperty(Buffer, Symbol.species, { configurable: true, get: () => FastBuffer });

const fromTypes =
  "The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object.";

Buffer.from = function from(value, encodingOrOffset, length) {
  if (typeof value === "string") return view(codecOf(encodingOrOffset).encode(value));
  if (typeof value === "object" && value !== null) {
    if (value instanceof ArrayBuffer || (typeof SharedArrayBuffer !== "undefined" && value instanceof SharedArrayBuffer)) {
      const offset = Math.trunc(Number(encodingOrOffset)) || 0;
      if (offset > value.byteLength) throw nodeError(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS", '"offset" is outside of buffer bounds');
      const size = length === undefined ? value.byteLength - offset : Math.max(0, Math.trunc(Number(length)) || 0);
      if (offset + size > value.byteLength) throw nodeError(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS", '"length" is outside of buffer bounds');
      return new FastBuffer(value, offset, size);
    }
    const primitive = value.valueOf?.();
    if (primitive !== value && primitive !== undefined && primitive !== null && (typeof primitive === "string" || typeof primitive === "object")) {
      return Buffer.from(primitive, encodingOrOffset, length);
    }
    if (value.length !== undefined || value.buffer instanceof ArrayBuffer) {
      return typeof value.length === "number" ? new FastBuffer(Array.prototype.slice.call(value)) : new FastBuffer(0);
    }
    if (value.type === "Buffer" && Array.isArray(value.data)) return new FastBuffer(value.data);
    if (typeof value[Symbol.toPrimitive] === "function") {
      const text = value[Symbol.toPrimitive]("string");
      if (typeof text === "string") return Buffer.from(text, encodingOrOffset);
    }
  }
  throw nodeError(TypeError, "ERR_INVALID_ARG_TYPE", fromTypes + describe(value));
};

Buffer.of = (...items) => new FastBuffer(items);

Buffer.alloc = function alloc(size, fill, encoding) {
  checkSize(size);
  const buf = new FastBuffer(size);
  return fill === undefined || fill === 0 ? buf : buf.fill(fill, encoding);
};
Buffer.allocUnsafe = Buffer.allocUnsafeSlow = function allocUnsafe(size) {
  checkSize(size);
  return new FastBuffer(size);
};

Buffer.isBuffer = (value) => value instanceof Buffer;
Buffer.isEncoding = (encoding) => typeof encoding === "string" && encoding !== "" && encodingName(encoding) !== undefined;
Buffer.poolSize = 8192;

Buffer.byteLength = function byteLength(value, encoding) {
  if (typeof value === "string") return (codecs[encodingName(encoding)] ?? codecs.utf8).length(value);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
  throw invalidArgType("string", "of type string or an instance of Buffer or ArrayBuffer", value);
};

Buffer.concat = function concat(list, total) {
  if (!Array.isArray(list)) throw invalidArgType("list", "an instance of Array", list);
  list.forEach((item, i) => {
    if (!(item instanceof Uint8Array)) throw invalidArgType(`list[${i}]`, "an instance of Buffer or Uint8Array", item);
  });
  const size = total ?? list.reduce((n, item) => n + item.length, 0);
  const out = Buffer.alloc(size);
  let at = 0;
  for (const item of list) {
    if (at >= size) break;
    out.set(at + item.length > size ? item.subarray(0, size - at) : item, at);
    at += item.length;
  }
  return out;
};

function compareBytes(a, b) {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
  return Math.sign(a.length - b.length);
}

function requireBytes(value, name) {
  if (!(value instanceof Uint8Array)) throw invalidArgType(name, "an instance of Buffer or Uint8Array", value);
}

Buffer.compare = function compare(a, b) {
  requireBytes(a, "buf1");
  requireBytes(b, "buf2");
  return compareBytes(a, b);
};

Buffer.copyBytesFrom = function copyBytesFrom(source, offset = 0, length) {
  const part = source.subarray(offset, length === undefined ? undefined : offset + length);
  return Buffer.from(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
};

// ---- methods --------------------------------------------------------------------
const clamp = (n, low, high) => Math.min(Math.max(n, low), high);

function bound(value, fallback, length) {
  if (value === undefined) return fallback;
  const n = Math.trunc(Number(value)) || 0;
  return n < 0 ? Math.max(0, length + n) : Math.min(n, length);
}

// needleOf turns a search or fill value into bytes.
function needleOf(value, encoding) {
  if (typeof value === "string") return codecOf(encoding).encode(value);
  if (typeof value === "number") return new Uint8Array([value]);
  if (value instanceof Uint8Array) return value;
  throw invalidArgType("value", "one of type number or string or an instance of Buffer or Uint8Array", value);
}

function search(buf, value, offset, encoding, backwards) {
  if (typeof offset === "string") [encoding, offset] = [offset, undefined];
  const needle = needleOf(value, encoding);
  const step = typeof value === "string" && encodingName(encoding ?? "utf8") === "utf16le" ? 2 : 1;
  let start = Number(offset);
  if (Number.isNaN(start)) start = backwards ? buf.length : 0;
  start = Math.trunc(clamp(start, -2147483648, 2147483647));
  if (start < 0) start += buf.length;
  if (start < 0) {
    if (backwards) return -1;
    start = 0;
  }
  if (needle.length === 0) return Math.min(start, buf.length);
  const last = buf.length - needle.length;
  const matches = (i) => {
    for (let k = 0; k < needle.length; k++) if (buf[i + k] !== needle[k]) return false;
    return true;
  };
  if (backwards) {
    for (let i = Math.min(start, last); i >= 0; i--) if (i % step === 0 && matches(i)) return i;
    return -1;
  }
  for (let i = start; i <= last; i++) {
    if (step === 1) {
      i = Uint8Array.prototype.indexOf.call(buf, needle[0], i);
      if (i < 0 || i > last) return -1;
    } else if (i % step !== 0) continue;
    if (matches(i)) return i;
  }
  return -1;
}

const methods = {
  toString(encoding, start = 0, end = this.length) {
    const codec = codecOf(encoding);
    start = Math.max(0, Math.trunc(Number(start)) || 0);
    end = Math.min(this.length, Math.trunc(Number(end)) || 0);
    if (start >= end) return "";
    return codec.decode(start === 0 && end === this.length ? this : Uint8Array.prototype.subarray.call(this, start, end));
  },
  toJSON() {
    return { type: "Buffer", data: Array.from(this) };
  },
  equals(other) {
    requireBytes(other, "otherBuffer");
    return this === other || (this.length === other.length && compareBytes(this, other) === 0);
  },
  compare(target, targetStart = 0, targetEnd = target?.length, start = 0, end = this.length) {
    requireBytes(target, "target");
    if (targetStart < 0) throw outOfRange("targetStart", ">= 0", targetStart);
    if (targetEnd > target.length) throw outOfRange("targetEnd", `>= 0 && <= ${target.length}`, targetEnd);
    if (end > this.length) throw outOfRange("sourceEnd", `>= 0 && <= ${this.length}`, end);
    if (start >= end) return targetStart >= targetEnd ? 0 : -1;
    if (targetStart >= targetEnd) return 1;
    return compareBytes(this.subarray(start, end), target.subarray(targetStart, targetEnd));
  },
  copy(target, targetStart = 0, start = 0, end = this.length) {
    requireBytes(target, "target");
    targetStart = Math.trunc(Number(targetStart)) || 0;
    start = Math.trunc(Number(start)) || 0;
    if (targetStart < 0) throw outOfRange("targetStart", ">= 0", targetStart);
    if (start < 0 || start > this.length) throw outOfRange("sourceStart", `>= 0 && <= ${this.length}`, start);
    if (end < 0) throw outOfRange("sourceEnd", ">= 0", end);
    if (targetStart >= target.length || start >= end) return 0;
    const n = Math.min(end - start, target.length - targetStart, this.length - start);
    target.set(Uint8Array.prototype.subarray.call(this, start, start + n), targetStart);
    return n;
  },
  subarray(start, end) {
    start = bound(start, 0, this.length);
    end = bound(end, this.length, this.length);
    return new FastBuffer(this.buffer, this.byteOffset + start, Math.max(0, end - start));
  },
  write(text, offset, length, encoding) {
    if (typeof text !== "string") throw invalidArgType("argument", "of type string", text);
    if (typeof offset === "string") [encoding, offset, length] = [offset, undefined, undefined];
    else if (typeof length === "string") [encoding, length] = [length, undefined];
    offset ??= 0;
    if (offset < 0 || offset > this.length) throw outOfRange("offset", `>= 0 && <= ${this.length}`, offset);
    const room = Math.min(length ?? Infinity, this.length - offset);
    const name = encodingName(encoding ?? "utf8");
    let bytes = codecOf(encoding).encode(text);
    if (bytes.length > room) {
      let end = room;
      // No partial characters.
      if (name === "utf8") while (end > 0 && (bytes[end] & 0xc0) === 0x80) end--;
      if (name === "utf16le") end -= end % 2;
      bytes = bytes.subarray(0, end);
    }
    this.set(bytes, offset);
    return bytes.length;
  },
  fill(value, offset, end, encoding) {
    if (typeof offset === "string") [encoding, offset, end] = [offset, undefined, undefined];
    else if (typeof end === "string") [encoding, end] = [end, undefined];
    offset ??= 0;
    end ??= this.length;
    if (offset < 0) throw outOfRange("offset", `>= 0 && <= ${kMaxLength}`, offset);
    if (end < 0 || end > this.length) throw outOfRange("end", `>= 0 && <= ${this.length}`, end);
    if (typeof value === "number" || typeof value === "boolean") {
      Uint8Array.prototype.fill.call(this, Number(value) & 0xff, offset, end);
      return this;
    }
    const bytes = typeof value === "string" && value === "" ? new Uint8Array(1) : needleOf(value, encoding);
    if (bytes.length === 0) throw invalidArgValue("value", value);
    for (let i = offset; i < end; i++) this[i] = bytes[(i - offset) % bytes.length];
    return this;
  },
  indexOf(value, offset, encoding) {
    return search(this, value, offset, encoding, false);
  },
  lastIndexOf(value, offset, encoding) {
    return search(this, value, offset, encoding, true);
  },
  includes(value, offset, encoding) {
    return search(this, value, offset, encoding, false) !== -1;
  },
  swap16() { return swap(this, 2); },
  swap32() { return swap(this, 4); },
  swap64() { return swap(this, 8); },
  [Symbol.for("nodejs.util.inspect.custom")]() {
    const limit = 50;
    let text = toHex(Uint8Array.prototype.subarray.call(this, 0, limit)).replace(/(..)(?=.)/g, "$1 ");
    if (this.length > limit) text += ` ... ${this.length - limit} more byte${this.length - limit > 1 ? "s" : ""}`;
    return `<Buffer ${text}>`;
  },
};
methods.slice = methods.subarray;
methods.toLocaleString = methods.toString;

function swap(buf, size) {
  if (buf.length % size !== 0) {
    throw nodeError(RangeError, "ERR_INVALID_BUFFER_SIZE", `Buffer size must be a multiple of ${size * 8}-bits`);
  }
  for (let i = 0; i < buf.length; i += size) Uint8Array.prototype.subarray.call(buf, i, i + size).reverse();
  return buf;
}

// ---- numbers --------------------------------------------------------------------
const dataView = (buf) => new DataView(buf.buffer, buf.byteOffset, buf.byteLength);

function checkOffset(buf, offset, size) {
  if (typeof offset !== "number") throw invalidArgType("offset", "of type number", offset);
  const last = buf.length - size;
  if (offset >= 0 && offset <= last && Number.isInteger(offset)) return;
  if (!Number.isInteger(offset)) throw outOfRange("offset", "an integer", offset);
  if (last < 0) throw nodeError(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS", "Attempt to access memory outside buffer bounds");
  throw outOfRange("offset", `>= 0 and <= ${last}`, offset);
}

function checkRange(value, low, high, size, signed) {
  if (value >= low && value <= high) return;
  const n = typeof low === "bigint" ? "n" : "";
  const bits = size * 8;
  let range = `>= ${low}${n} and <= ${high}${n}`;
  if (size > 4) {
    range = signed
      ? `>= -(2${n} ** ${bits - 1}${n}) and < 2${n} ** ${bits - 1}${n}`
      : `>= 0${n} and < 2${n} ** ${bits}${n}`;
  }
  throw outOfRange("value", range, value);
}

function defineNumber(name, size, kind, little, low, high) {
  const order = size === 1 ? "" : little ? "LE" : "BE";
  const get = DataView.prototype[`get${kind}`];
  const set = DataView.prototype[`set${kind}`];
  methods[`read${name}${order}`] = function (offset = 0) {
    checkOffset(this, offset, size);
    return get.call(dataView(this), offset, little);
  };
  methods[`write${name}${order}`] = function (value, offset = 0) {
    if (typeof low !== "bigint") value = Number(value);
    else if (typeof value !== "bigint") throw new TypeError("Cannot mix BigInt and other types, use explicit conversions");
    if (low !== undefined) checkRange(value, low, high, size, low < 0);
    checkOffset(this, offset, size);
    set.call(dataView(this), offset, value, little);
    return offset + size;
  };
  for (const verb of ["read", "write"]) {
    if (name.includes("UInt")) methods[`${verb}${name.replace("UInt", "Uint")}${order}`] = methods[`${verb}${name}${order}`];
  }
}

for (const little of [true, false]) {
  defineNumber("UInt8", 1, "Uint8", little, 0, 0xff);
  defineNumber("Int8", 1, "Int8", little, -0x80, 0x7f);
  defineNumber("UInt16", 2, "Uint16", little, 0, 0xffff);
  defineNumber("Int16", 2, "Int16", little, -0x8000, 0x7fff);
  defineNumber("UInt32", 4, "Uint32", little, 0, 0xffffffff);
  defineNumber("Int32", 4, "Int32", little, -0x80000000, 0x7fffffff);
  defineNumber("BigUInt64", 8, "BigUint64", little, 0n, 2n ** 64n - 1n);
  defineNumber("BigInt64", 8, "BigInt64", little, -(2n ** 63n), 2n ** 63n - 1n);
  defineNumber("Float", 4, "Float32", little);
  defineNumber("Double", 8, "Float64", little);

  // Integers of 1 to 6 bytes.
  const order = little ? "LE" : "BE";
  const at = (size, i) => (little ? i : size - 1 - i);
  const checkSizeOf = (size) => {
    if (!Number.isInteger(size) || size < 1 || size > 6) throw outOfRange("byteLength", ">= 1 and <= 6", size);
  };
  for (const signed of [false, true]) {
    const kind = signed ? "Int" : "UInt";
    methods[`read${kind}${order}`] = function (offset, size) {
      checkSizeOf(size);
      checkOffset(this, offset, size);
      let value = 0;
      for (let i = size - 1; i >= 0; i--) value = value * 256 + this[offset + at(size, i)];
      return signed && value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value;
    };
    methods[`write${kind}${order}`] = function (value, offset, size) {
      checkSizeOf(size);
      const span = 2 ** (8 * size);
      value = Number(value);
      checkRange(value, signed ? -span / 2 : 0, (signed ? span / 2 : span) - 1, size, signed);
      checkOffset(this, offset, size);
      let rest = value < 0 ? value + span : value;
      for (let i = 0; i < size; i++) {
        this[offset + at(size, i)] = rest % 256;
        rest = Math.floor(rest / 256);
      }
      return offset + size;
    };
    if (!signed) {
      methods[`readUint${order}`] = methods[`readUInt${order}`];
      methods[`writeUint${order}`] = methods[`writeUInt${order}`];
    }
  }
}

for (const [codec, name] of [["utf8", "utf8"], ["latin1", "latin1"], ["ascii", "ascii"], ["hex", "hex"], ["base64", "base64"], ["base64url", "base64url"], ["utf16le", "ucs2"]]) {
  methods[`${name}Slice`] = function (start, end) { return this.toString(codec, start, end); };
  methods[`${name}Write`] = function (text, offset, length) { return this.write(text, offset, length, codec); };
}

for (const name of Reflect.ownKeys(methods)) {
  Object.defineProperty(Buffer.prototype, name, { value: methods[name], writable: true, configurable: true });
}
Object.defineProperties(Buffer.prototype, {
  parent: { configurable: true, get() { return this.buffer; } },
  offset: { configurable: true, get() { return this.byteOffset; } },
});

function transcode(source, from, to) {
  return Buffer.from(Buffer.from(source).toString(from), to);
}

const isUtf8 = (input) => {
  try {
    utf8Decode(bytesOf(input), () => { throw 0; });
    return true;
  } catch {
    return false;
  }
};
const isAscii = (input) => bytesOf(input).every((b) => b < 0x80);
const SlowBuffer = Buffer.allocUnsafeSlow;
const kStringMaxLength = constants.MAX_STRING_LENGTH;
const INSPECT_MAX_BYTES = 50;

export {
  Buffer, SlowBuffer, Blob, File, atob, btoa, constants, isAscii, isUtf8, kMaxLength, kStringMaxLength, transcode,
  INSPECT_MAX_BYTES,
};

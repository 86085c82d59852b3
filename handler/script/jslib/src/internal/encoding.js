// Bytes and text: TextEncoder, TextDecoder, atob, btoa and the helpers that
// Buffer is built on. Where the engine has a native routine, it is used.
import { sync } from "hookline:host";
import { nodeError } from "internal:errors";

const charsPerCall = 8192;

// Beyond this many characters or bytes the host converts faster than a loop.
const long = 4096;

// bytesToLatin1 makes a string with one character per byte.
function bytesToLatin1(bytes) {
  if (bytes.length <= charsPerCall) return String.fromCharCode.apply(null, bytes);
  let out = "";
  for (let i = 0; i < bytes.length; i += charsPerCall) {
    out += String.fromCharCode.apply(null, bytes.subarray(i, i + charsPerCall));
  }
  return out;
}

function latin1ToBytes(text) {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

const isAscii = (text) => !/[^\x00-\x7f]/.test(text);

// utf8Encode replaces lone surrogates by U+FFFD.
function utf8Encode(text) {
  if (text.length > long) return fromWire(sync("node.text.encode", { text }));
  if (isAscii(text)) return latin1ToBytes(text);
  return latin1ToBytes(unescape(encodeURIComponent(text.isWellFormed() ? text : text.toWellFormed())));
}

function utf8Length(text) {
  let n = text.length;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x80) continue;
    if (c < 0x800) n += 1;
    else if (c >= 0xd800 && c <= 0xdbff && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      n += 2;
      i++;
    } else n += 2;
  }
  return n;
}

// scanUtf8 reads one sequence at i: its code point and length, or code -1 with
// the length of the ill-formed part. `short` says that the input ended early.
function scanUtf8(bytes, i) {
  const b = bytes[i];
  if (b < 0x80) return { code: b, length: 1 };
  let need = 0;
  let low = 0x80;
  let high = 0xbf;
  let code = 0;
  if (b >= 0xc2 && b <= 0xdf) [need, code] = [1, b & 0x1f];
  else if (b >= 0xe0 && b <= 0xef) {
    [need, code] = [2, b & 0xf];
    if (b === 0xe0) low = 0xa0;
    if (b === 0xed) high = 0x9f;
  } else if (b >= 0xf0 && b <= 0xf4) {
    [need, code] = [3, b & 0x7];
    if (b === 0xf0) low = 0x90;
    if (b === 0xf4) high = 0x8f;
  } else return { code: -1, length: 1 };
  for (let k = 1; k <= need; k++) {
    if (i + k >= bytes.length) return { code: -1, length: k, short: true };
    const c = bytes[i + k];
    if (c < low || c > high) return { code: -1, length: k };
    [low, high] = [0x80, 0xbf];
    code = (code << 6) | (c & 0x3f);
  }
  return { code, length: need + 1 };
}

// utf8Decode replaces every ill-formed part by U+FFFD, or calls onError.
function utf8Decode(bytes, onError) {
  if (bytes.length > long) {
    const text = sync("node.text.decode", { data: toWire(bytes) });
    if (text !== null) return text;
  }
  const raw = bytesToLatin1(bytes);
  if (isAscii(raw)) return raw;
  try {
    return decodeURIComponent(escape(raw));
  } catch {
    // Not well-formed; decode by hand.
  }
  let out = "";
  for (let i = 0; i < bytes.length; ) {
    const { code, length } = scanUtf8(bytes, i);
    if (code < 0) {
      onError?.();
      out += "\ufffd";
    } else out += String.fromCodePoint(code);
    i += length;
  }
  return out;
}

// utf8Tail is how many bytes at the end begin a sequence that is not complete.
function utf8Tail(bytes) {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const b = bytes[bytes.length - back];
    if (b < 0x80) return 0;
    if (b >= 0xc0) return scanUtf8(bytes, bytes.length - back).short ? back : 0;
  }
  return 0;
}

function utf16Decode(bytes, bigEndian = false) {
  let out = "";
  for (let i = 0; i + 1 < bytes.length; i += 2) {
    out += String.fromCharCode(bigEndian ? (bytes[i] << 8) | bytes[i + 1] : bytes[i] | (bytes[i + 1] << 8));
  }
  return out;
}

const labels = {
  "utf-8": "utf-8", utf8: "utf-8", "unicode-1-1-utf-8": "utf-8",
  "utf-16le": "utf-16le", "utf-16": "utf-16le", "ucs-2": "utf-16le", unicode: "utf-16le",
  "utf-16be": "utf-16be",
  latin1: "windows-1252", "iso-8859-1": "windows-1252", ascii: "windows-1252", "us-ascii": "windows-1252",
  "windows-1252": "windows-1252", l1: "windows-1252", cp1252: "windows-1252",
};

const windows1252 =
  "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f" +
  "\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";

function bytesOf(input) {
  if (input === undefined) return new Uint8Array(0);
  if (input instanceof Uint8Array) return input;
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  if (input instanceof ArrayBuffer || input instanceof SharedArrayBuffer) return new Uint8Array(input);
  throw nodeError(TypeError, "ERR_INVALID_ARG_TYPE", 'The "list" argument must be an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView.');
}

class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBOM;
  #pending = new Uint8Array(0);
  #started = false;

  constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
    const encoding = labels[String(label).trim().toLowerCase()];
    if (!encoding) {
      throw nodeError(RangeError, "ERR_ENCODING_NOT_SUPPORTED", `The "${label}" encoding is not supported`);
    }
    this.#encoding = encoding;
    this.#fatal = Boolean(fatal);
    this.#ignoreBOM = Boolean(ignoreBOM);
  }
  get encoding() { return this.#encoding; }
  get fatal() { return this.#fatal; }
  get ignoreBOM() { return this.#ignoreBOM; }

  decode(input, { stream = false } = {}) {
    let bytes = bytesOf(input);
    if (this.#pending.length > 0) {
      const all = new Uint8Array(this.#pending.length + bytes.length);
      all.set(this.#pending);
      all.set(bytes, this.#pending.length);
      bytes = all;
    }
    this.#pending = new Uint8Array(0);
    if (stream) {
      const tail = this.#encoding === "utf-8" ? utf8Tail(bytes) : this.#encoding === "windows-1252" ? 0 : bytes.length % 2;
      if (tail > 0) this.#pending = bytes.slice(bytes.length - tail);
      bytes = bytes.subarray(0, bytes.length - tail);
    }
    let text = this.#decodeWhole(bytes);
    if (!this.#started && text.length > 0) {
      if (!this.#ignoreBOM && this.#encoding !== "windows-1252" && text[0] === "\ufeff") text = text.slice(1);
      this.#started = true;
    }
    if (!stream) this.#started = false;
    return text;
  }

  #decodeWhole(bytes) {
    const bad = () => {
      throw nodeError(TypeError, "ERR_ENCODING_INVALID_ENCODED_DATA", `The encoded data was not valid for encoding ${this.#encoding}`);
    };
    switch (this.#encoding) {
      case "utf-8":
        return utf8Decode(bytes, this.#fatal ? bad : undefined);
      case "windows-1252":
        return bytesToLatin1(bytes).replace(/[\x80-\x9f]/g, (c) => windows1252[c.charCodeAt(0) - 0x80]);
      default: {
        let text = utf16Decode(bytes, this.#encoding === "utf-16be");
        if (bytes.length % 2 === 1) text += this.#fatal ? bad() : "\ufffd";
        if (this.#fatal && !text.isWellFormed()) bad();
        return text.toWellFormed();
      }
    }
  }
  get [Symbol.toStringTag]() { return "TextDecoder"; }
}

class TextEncoder {
  get encoding() { return "utf-8"; }
  encode(text = "") { return utf8Encode(String(text)); }
  encodeInto(text, target) {
    let read = 0;
    let written = 0;
    for (const char of String(text)) {
      const bytes = utf8Encode(char);
      if (written + bytes.length > target.length) break;
      target.set(bytes, written);
      written += bytes.length;
      read += char.length;
    }
    return { read, written };
  }
  get [Symbol.toStringTag]() { return "TextEncoder"; }
}

// ---- base64 and hex -----------------------------------------------------------
const toBase64 = (bytes, url) =>
  url ? plain(bytes).toBase64({ alphabet: "base64url", omitPadding: true }) : plain(bytes).toBase64();
const toHex = (bytes) => plain(bytes).toHex();

// plain views a Buffer's memory as a bare Uint8Array.
const plain = (bytes) => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

// Bytes cross the bridge as base64, for which the engine has native routines.
const toWire = (bytes) => toBase64(bytes, false);
const fromWire = (text) => Uint8Array.fromBase64(text);

// fromBase64 is as lenient as Node: both alphabets, stray characters skipped,
// the end at the first "=".
function fromBase64(text) {
  const end = text.indexOf("=");
  let clean = (end < 0 ? text : text.slice(0, end)).replace(/-/g, "+").replace(/_/g, "/").replace(/[^A-Za-z0-9+/]/g, "");
  if (clean.length % 4 === 1) clean = clean.slice(0, -1);
  return Uint8Array.fromBase64(clean, { lastChunkHandling: "loose" });
}

function fromHex(text) {
  const good = /^(?:[0-9a-f]{2})*/i.exec(text)[0];
  return Uint8Array.fromHex(good);
}

const invalidCharacter = () => new globalThis.DOMException("Invalid character", "InvalidCharacterError");

function btoa(input) {
  const text = String(input);
  if (/[^\x00-\xff]/.test(text)) throw invalidCharacter();
  return toBase64(latin1ToBytes(text));
}

function atob(input) {
  let text = String(input).replace(/[\t\n\f\r ]/g, "");
  if (text.length % 4 === 0) text = text.replace(/={1,2}$/, "");
  if (/[^A-Za-z0-9+/]/.test(text)) throw invalidCharacter();
  if (text.length % 4 === 1) {
    throw new globalThis.DOMException("The string to be decoded is not correctly encoded.", "InvalidCharacterError");
  }
  return bytesToLatin1(Uint8Array.fromBase64(text, { lastChunkHandling: "loose" }));
}

export {
  bytesToLatin1, latin1ToBytes, utf8Encode, utf8Decode, utf8Length, utf8Tail, utf16Decode, bytesOf,
  toBase64, toHex, toWire, fromWire, fromBase64, fromHex, TextEncoder, TextDecoder, atob, btoa,
};

// node:string_decoder: text from chunks whose borders may cut a character.
import { Buffer } from "node:buffer";
import { utf8Tail } from "internal:encoding";
import { invalidArgType, nodeError } from "internal:errors";

const units = { utf16le: 2, base64: 3, base64url: 3 };
const aliases = { "utf-8": "utf8", ucs2: "utf16le", "ucs-2": "utf16le", "utf-16le": "utf16le", binary: "latin1" };

class StringDecoder {
  #kept = Buffer.alloc(0);

  constructor(encoding = "utf8") {
    const name = String(encoding ?? "utf8").toLowerCase();
    if (!Buffer.isEncoding(name)) throw nodeError(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${encoding}`);
    this.encoding = aliases[name] ?? name;
  }

  write(chunk) {
    if (typeof chunk === "string") return chunk;
    if (!ArrayBuffer.isView(chunk)) throw invalidArgType("buf", "an instance of Buffer, TypedArray, or DataView", chunk);
    let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.#kept.length > 0) bytes = Buffer.concat([this.#kept, bytes]);
    const cut = bytes.length - this.#incomplete(bytes);
    this.#kept = Buffer.from(bytes.subarray(cut));
    return bytes.toString(this.encoding, 0, cut);
  }

  end(chunk) {
    let text = chunk === undefined ? "" : this.write(chunk);
    if (this.#kept.length > 0) {
      text += this.#kept.toString(this.encoding);
      this.#kept = Buffer.alloc(0);
    }
    return text;
  }

  text(chunk, offset) {
    this.#kept = Buffer.alloc(0);
    return this.write(chunk.subarray(offset));
  }

  // #incomplete counts the bytes at the end that wait for more.
  #incomplete(bytes) {
    if (this.encoding === "utf8") return utf8Tail(bytes);
    const unit = units[this.encoding] ?? 1;
    let tail = bytes.length % unit;
    const end = bytes.length - tail;
    // A high surrogate waits for its low one.
    if (unit === 2 && end >= 2 && (bytes[end - 1] & 0xfc) === 0xd8) tail += 2;
    return tail;
  }
}

export { StringDecoder };

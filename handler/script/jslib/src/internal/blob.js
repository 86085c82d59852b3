// Blob and File.
import { bytesOf, utf8Decode, utf8Encode } from "internal:encoding";

function join(parts) {
  const chunks = parts.map((part) => {
    if (part instanceof Blob) return bytesIn(part);
    if (ArrayBuffer.isView(part) || part instanceof ArrayBuffer) return bytesOf(part).slice();
    return utf8Encode(String(part));
  });
  const out = new Uint8Array(chunks.reduce((n, c) => n + c.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

class Blob {
  #bytes;
  #type;
  constructor(parts = [], options = {}) {
    if (typeof parts !== "object" || typeof parts[Symbol.iterator] !== "function") {
      throw new TypeError('The "sources" argument must be a sequence');
    }
    this.#bytes = join([...parts]);
    const type = String(options?.type ?? "");
    this.#type = /[^\x20-\x7e]/.test(type) ? "" : type.toLowerCase();
  }
  static _bytes(blob) { return blob.#bytes; }
  get size() { return this.#bytes.length; }
  get type() { return this.#type; }
  async text() { return utf8Decode(this.#bytes); }
  async arrayBuffer() { return this.#bytes.slice().buffer; }
  async bytes() { return this.#bytes.slice(); }
  slice(start, end, type = "") { return new Blob([this.#bytes.slice(start, end)], { type }); }
  stream() {
    const bytes = this.#bytes;
    return new globalThis.ReadableStream({
      start(controller) {
        if (bytes.length > 0) controller.enqueue(bytes.slice());
        controller.close();
      },
    });
  }
  get [Symbol.toStringTag]() { return "Blob"; }
  [Symbol.for("nodejs.util.inspect.custom")]() { return `Blob { size: ${this.size}, type: '${this.type}' }`; }
}
const bytesIn = Blob._bytes;
delete Blob._bytes;

class File extends Blob {
  #name;
  #lastModified;
  constructor(parts, name, options = {}) {
    if (arguments.length < 2) throw new TypeError('The "fileBits" and "fileName" arguments must be specified');
    super(parts, options);
    this.#name = String(name);
    this.#lastModified = options?.lastModified ?? Date.now();
  }
  get name() { return this.#name; }
  get lastModified() { return this.#lastModified; }
  get [Symbol.toStringTag]() { return "File"; }
}

export { Blob, File, bytesIn };

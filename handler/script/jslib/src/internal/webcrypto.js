// The global crypto: random values, UUIDs and subtle.digest.
import { call, sync } from "hookline:host";
import { bytesOf, fromWire, toWire } from "internal:encoding";
import { DOMException } from "internal:domexception";

const digests = { "SHA-1": "sha1", "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512" };

const subtle = {
  async digest(algorithm, data) {
    const name = digests[String(algorithm?.name ?? algorithm).toUpperCase()];
    if (!name) throw new DOMException("Unrecognized algorithm name", "NotSupportedError");
    const raw = await call("node.crypto.hash", { algorithm: name, data: toWire(bytesOf(data)) });
    return fromWire(raw).buffer;
  },
};

const crypto = {
  subtle,
  randomUUID: () => sync("node.crypto.uuid"),
  getRandomValues(array) {
    if (!ArrayBuffer.isView(array) || array instanceof DataView || /^Float/.test(array[Symbol.toStringTag])) {
      throw new DOMException("The data argument must be an integer-type TypedArray", "TypeMismatchError");
    }
    if (array.byteLength > 65536) {
      throw new DOMException(`The requested length exceeds 65,536 bytes`, "QuotaExceededError");
    }
    const raw = fromWire(sync("node.crypto.random", { size: array.byteLength }));
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(raw);
    return array;
  },
};
Object.defineProperty(crypto, Symbol.toStringTag, { value: "Crypto", configurable: true });

export { crypto };

// node:crypto: digests, MACs, random values and key derivation, computed by
// the host.
import { call, sync } from "hookline:host";
import { Buffer } from "node:buffer";
import { Transform } from "node:stream";
import { toWire } from "internal:encoding";
import { invalidArgType, nodeError, outOfRange, requireFunction, requireString } from "internal:errors";
import { bufferOf } from "internal:fsops";
import { crypto as webcrypto } from "internal:webcrypto";

function bytesFrom(data, name = "data", encoding) {
  if (typeof data === "string") return Buffer.from(data, encoding);
  if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return Buffer.from(data);
  throw invalidArgType(name, "of type string or an instance of Buffer, TypedArray, or DataView", data);
}
const wireOf = (data, name) => toWire(bytesFrom(data, name));
const encode = (buffer, encoding) => (encoding && encoding !== "buffer" ? buffer.toString(encoding) : buffer);

// A Hash keeps what it is fed and has the host digest it at the end.
class Digest extends Transform {
  #op;
  #args;
  #parts;
  #done = false;
  constructor(op, args, parts = []) {
    super();
    this.#op = op;
    this.#args = args;
    this.#parts = parts;
  }
  update(data, encoding) {
    if (this.#done) throw nodeError(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");
    this.#parts.push(Buffer.from(bytesFrom(data, "data", encoding)));
    return this;
  }
  digest(encoding) {
    if (this.#done) throw nodeError(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");
    this.#done = true;
    return encode(bufferOf(sync(this.#op, { ...this.#args, data: toWire(Buffer.concat(this.#parts)) })), encoding);
  }
  copy() {
    if (this.#done) throw nodeError(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");
    return new this.constructor(this.#op, this.#args, [...this.#parts]);
  }
  _transform(chunk, encoding, done) {
    this.update(chunk, encoding);
    done();
  }
  _flush(done) { done(null, this.digest()); }
}
class Hash extends Digest {}
class Hmac extends Digest {}

const hashes = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512-256"];
const getHashes = () => [...hashes];

function hashName(algorithm) {
  requireString(algorithm, "algorithm");
  const name = algorithm.toLowerCase().replace(/^rsa-/, "").replace(/^sha-/, "sha").replace("sha512/256", "sha512-256");
  if (!hashes.includes(name)) throw new Error("Digest method not supported");
  return name;
}

const createHash = (algorithm) => new Hash("node.crypto.hash", { algorithm: hashName(algorithm) });
const createHmac = (algorithm, key) => new Hmac("node.crypto.hmac", { algorithm: hashName(algorithm), key: wireOf(key, "key") });
const hash = (algorithm, data, encoding = "hex") => createHash(algorithm).update(data).digest(encoding);

function randomBytes(size, callback) {
  if (typeof size !== "number") throw invalidArgType("size", "of type number", size);
  if (!(size >= 0 && size <= 2 ** 31 - 1)) throw outOfRange("size", `>= 0 && <= ${2 ** 31 - 1}`, size);
  const bytes = bufferOf(sync("node.crypto.random", { size }));
  if (callback === undefined) return bytes;
  requireFunction(callback, "callback");
  globalThis.queueMicrotask(() => callback(null, bytes));
}

function randomFillSync(target, offset = 0, size = target.byteLength - offset) {
  const view = ArrayBuffer.isView(target) ? new Uint8Array(target.buffer, target.byteOffset, target.byteLength) : new Uint8Array(target);
  view.set(randomBytes(size), offset);
  return target;
}
function randomFill(target, ...rest) {
  const callback = rest.pop();
  requireFunction(callback, "callback");
  randomFillSync(target, ...rest);
  globalThis.queueMicrotask(() => callback(null, target));
}

const randomUUID = () => sync("node.crypto.uuid");

function randomInt(min, max, callback) {
  if (max === undefined || typeof max === "function") [min, max, callback] = [0, min, max];
  if (!Number.isSafeInteger(min)) throw invalidArgType("min", "a safe integer", min);
  if (!Number.isSafeInteger(max)) throw invalidArgType("max", "a safe integer", max);
  if (max <= min) throw outOfRange("max", `greater than the value of "min" (${min})`, max);
  if (max - min >= 2 ** 48) throw outOfRange("max - min", `<= ${2 ** 48 - 1}`, max - min);
  const n = min + sync("node.crypto.randomInt", { below: max - min });
  if (!callback) return n;
  globalThis.queueMicrotask(() => callback(null, n));
}

function timingSafeEqual(a, b) {
  const [x, y] = [bytesFrom(a, "buf1"), bytesFrom(b, "buf2")];
  if (x.length !== y.length) {
    throw nodeError(RangeError, "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH", "Input buffers must have the same byte length");
  }
  let different = 0;
  for (let i = 0; i < x.length; i++) different |= x[i] ^ y[i];
  return different === 0;
}

// derive makes the sync and callback forms of a key derivation.
function derive(op, prepare) {
  const run = (...args) => bufferOf(sync(op, prepare(...args)));
  const callback = (...args) => {
    const done = args.pop();
    requireFunction(done, "callback");
    call(op, prepare(...args)).then((raw) => done(null, bufferOf(raw)), done);
  };
  return [run, callback];
}

const [pbkdf2Sync, pbkdf2] = derive("node.crypto.pbkdf2", (password, salt, iterations, length, digest) => ({
  password: wireOf(password, "password"), salt: wireOf(salt, "salt"), iterations, length, algorithm: hashName(digest),
}));
const [hkdfKey, hkdfCallback] = derive("node.crypto.hkdf", (digest, key, salt, info, length) => ({
  algorithm: hashName(digest), key: wireOf(key, "ikm"), salt: wireOf(salt, "salt"), info: wireOf(info, "info"), length,
}));
const exact = (buffer) => buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);
const hkdfSync = (...args) => exact(hkdfKey(...args));
const hkdf = (...args) => {
  const done = args.pop();
  hkdfCallback(...args, (err, key) => (err ? done(err) : done(null, exact(key))));
};

const scryptRequest = (password, salt, length, options = {}) => ({
  password: wireOf(password, "password"), salt: wireOf(salt, "salt"), length,
  n: options.N ?? options.cost ?? 16384, r: options.r ?? options.blockSize ?? 8, p: options.p ?? options.parallelization ?? 1,
  maxmem: options.maxmem ?? 0,
});
const [scryptSync, scrypt] = derive("node.crypto.scrypt", scryptRequest);

const { subtle } = webcrypto;
const getRandomValues = (array) => webcrypto.getRandomValues(array);
const constants = {};

export {
  Hash, Hmac, constants, createHash, createHmac, getHashes, getRandomValues, hash, hkdf, hkdfSync, pbkdf2, pbkdf2Sync,
  randomBytes, randomFill, randomFillSync, randomInt, randomUUID, scrypt, scryptSync, subtle, timingSafeEqual, webcrypto,
};

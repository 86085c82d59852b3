// node:stream, the part that hook modules and the other built-ins use:
// Readable, Writable, Duplex, Transform, PassThrough, pipeline and finished.
import { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import { StringDecoder } from "node:string_decoder";
import { invalidArgType, nodeError } from "internal:errors";

const later = (fn) => globalThis.queueMicrotask(fn);

class Stream extends EventEmitter {
  constructor(options = {}) {
    super();
    this.destroyed = false;
    this.closed = false;
    this.errored = null;
    if (typeof options?.destroy === "function") this._destroy = options.destroy;
    const { signal } = options ?? {};
    if (signal?.aborted) this.destroy(signal.reason);
    else signal?.addEventListener("abort", () => this.destroy(signal.reason), { once: true });
  }
  _destroy(err, done) { done(err); }
  destroy(err) {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.errored = err ?? null;
    this._destroy(err ?? null, (failure) => {
      later(() => {
        if (failure) this.emit("error", failure);
        this.closed = true;
        this.emit("close");
      });
    });
    return this;
  }
  // autoClose runs when a side has ended.
  _maybeClose() {
    const readDone = this._readable ? this.readableEnded : true;
    const writeDone = this._writable ? this.writableFinished : true;
    if (readDone && writeDone && !this.destroyed) this.destroy();
  }
  async [Symbol.asyncDispose]() { this.destroy(); }
}

// ---- reading ------------------------------------------------------------------------
const readMethods = {
  _initRead(options = {}) {
    this._readable = true;
    this.readable = true;
    this.readableEnded = false;
    this.readableFlowing = null;
    this.readableObjectMode = Boolean(options.objectMode || options.readableObjectMode);
    this.readableHighWaterMark = options.highWaterMark ?? (this.readableObjectMode ? 16 : 65536);
    this._queue = [];
    this._reading = false;
    this._sourceEnded = false;
    this._scheduled = false;
    if (typeof options.read === "function") this._read = options.read;
    if (options.encoding) this.setEncoding(options.encoding);
  },
  _read() {
    throw nodeError(Error, "ERR_METHOD_NOT_IMPLEMENTED", "The _read() method is not implemented");
  },
  setEncoding(encoding) {
    this._decoder = new StringDecoder(encoding);
    this.readableEncoding = this._decoder.encoding;
    this._queue = this._queue.map((chunk) => (typeof chunk === "string" ? chunk : this._decoder.write(chunk)));
    return this;
  },
  get readableLength() {
    return this.readableObjectMode ? this._queue.length : this._queue.reduce((n, chunk) => n + chunk.length, 0);
  },
  push(chunk, encoding) {
    this._reading = false;
    if (this._sourceEnded) {
      if (chunk !== null) this.destroy(nodeError(Error, "ERR_STREAM_PUSH_AFTER_EOF", "stream.push() after EOF"));
      return false;
    }
    if (chunk === null) {
      const rest = this._decoder?.end();
      if (rest) this._queue.push(rest);
      this._sourceEnded = true;
    } else if (this.readableObjectMode) this._queue.push(chunk);
    else {
      if (typeof chunk === "string") chunk = Buffer.from(chunk, encoding);
      else if (!(chunk instanceof Uint8Array)) {
        this.destroy(invalidArgType("chunk", "of type string or an instance of Buffer or Uint8Array", chunk));
        return false;
      } else if (!Buffer.isBuffer(chunk)) chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      if (this._decoder) chunk = this._decoder.write(chunk);
      if (chunk.length > 0) this._queue.push(chunk);
    }
    this._schedule();
    return this.readableLength < this.readableHighWaterMark;
  },
  unshift(chunk) {
    this._queue.unshift(typeof chunk === "string" && !this._decoder && !this.readableObjectMode ? Buffer.from(chunk) : chunk);
    this._schedule();
  },
  _pull() {
    if (this._reading || this._sourceEnded || this.destroyed || this.readableLength >= this.readableHighWaterMark) return;
    this._reading = true;
    try {
      this._read(this.readableHighWaterMark);
    } catch (err) {
      this.destroy(err);
    }
  },
  _schedule() {
    if (this._scheduled) return;
    this._scheduled = true;
    later(() => {
      this._scheduled = false;
      this._flow();
    });
  },
  _flow() {
    if (this.destroyed) return;
    if (this.readableFlowing) {
      while (this.readableFlowing && this._queue.length > 0 && !this.destroyed) this.emit("data", this._queue.shift());
      if (this.readableFlowing) this._pull();
    } else if (this.listenerCount("readable") > 0) {
      if (this._queue.length > 0 || this._sourceEnded) this.emit("readable");
      this._pull();
    }
    this._finishReading();
  },
  _finishReading() {
    if (!this._sourceEnded || this._queue.length > 0 || this.readableEnded || this.destroyed) return;
    if (!this.readableFlowing && this.listenerCount("readable") === 0) return;
    this.readableEnded = true;
    this.readable = false;
    this.emit("end");
    if (this._autoDestroy) this._maybeClose();
  },
  // A child's output nobody asked for is thrown away at its exit.
  _flushIfUnused() {
    if (this.readableFlowing === null && this.listenerCount("readable") === 0) this.resume();
  },
  read(n) {
    if (this._queue.length === 0) {
      this._pull();
      if (this._sourceEnded) this._schedule();
      if (this._queue.length === 0) return null;
    }
    let chunk;
    if (this.readableObjectMode) chunk = this._queue.shift();
    else {
      const all = this._decoder ? this._queue.join("") : Buffer.concat(this._queue);
      if (n === undefined || n >= all.length) {
        if (n > all.length && !this._sourceEnded) return null;
        this._queue = [];
        chunk = all;
      } else {
        chunk = all.slice(0, n);
        this._queue = [all.slice(n)];
      }
    }
    if (this.readableFlowing !== true) this.emit("data", chunk);
    this._schedule();
    return chunk;
  },
  on(type, listener) {
    EventEmitter.prototype.on.call(this, type, listener);
    if (type === "data" && this.readableFlowing !== false) this.resume();
    if (type === "readable") {
      this.readableFlowing = false;
      this._schedule();
    }
    return this;
  },
  pause() {
    if (this.readableFlowing !== false) {
      this.readableFlowing = false;
      this.emit("pause");
    }
    return this;
  },
  resume() {
    if (!this.readableFlowing) {
      this.readableFlowing = true;
      later(() => this.emit("resume"));
      this._schedule();
    }
    return this;
  },
  isPaused() { return this.readableFlowing === false; },
  pipe(target, { end = true } = {}) {
    this.on("data", (chunk) => {
      if (target.write(chunk) === false) {
        this.pause();
        target.once("drain", () => this.resume());
      }
    });
    if (end) this.once("end", () => target.end());
    target.emit("pipe", this);
    return target;
  },
  unpipe() {
    this.removeAllListeners("data");
    return this.pause();
  },
  async *[Symbol.asyncIterator]() {
    const state = { wake: null, done: false, error: null };
    const wake = () => state.wake?.();
    this.on("readable", wake);
    this.once("end", () => ((state.done = true), wake()));
    this.once("error", (err) => ((state.error = err), wake()));
    this.once("close", () => ((state.done = true), wake()));
    try {
      while (true) {
        const chunk = this.destroyed ? null : this._queue.length > 0 ? this._takeOne() : null;
        if (chunk !== null) yield chunk;
        else if (state.error) throw state.error;
        else if (state.done) return;
        else {
          await new Promise((resolve) => {
            state.wake = resolve;
            this._schedule();
          });
        }
      }
    } finally {
      this.destroy();
    }
  },
  _takeOne() {
    const chunk = this._queue.shift();
    this._schedule();
    return chunk;
  },
  async toArray() {
    const out = [];
    for await (const chunk of this) out.push(chunk);
    return out;
  },
  map(fn) {
    const source = this;
    return Readable.from((async function* () { for await (const chunk of source) yield fn(chunk); })());
  },
  filter(fn) {
    const source = this;
    return Readable.from((async function* () { for await (const chunk of source) if (await fn(chunk)) yield chunk; })());
  },
};

class Readable extends Stream {
  constructor(options = {}) {
    super(options);
    this._autoDestroy = options?.autoDestroy !== false;
    this._initRead(options ?? {});
  }
  static from(iterable, options) {
    if (typeof iterable === "string" || iterable instanceof Uint8Array) iterable = [iterable];
    const iterator = iterable[Symbol.asyncIterator]?.() ?? iterable[Symbol.iterator]?.();
    if (!iterator) throw invalidArgType("iterable", "an instance of Iterable", iterable);
    return new Readable({
      objectMode: true,
      highWaterMark: 1,
      ...options,
      async read() {
        try {
          const { value, done } = await iterator.next();
          this.push(done ? null : await value);
        } catch (err) {
          this.destroy(err);
        }
      },
      destroy(err, done) {
        Promise.resolve(iterator.return?.()).then(() => done(err), () => done(err));
      },
    });
  }
  static fromWeb(web, options) { return Readable.from(web, { objectMode: false, highWaterMark: 65536, ...options }); }
}

// ---- writing ------------------------------------------------------------------------
const writeMethods = {
  _initWrite(options = {}) {
    this._writable = true;
    this.writable = true;
    this.writableEnded = false;
    this.writableFinished = false;
    this.writableObjectMode = Boolean(options.objectMode || options.writableObjectMode);
    this.writableHighWaterMark = options.highWaterMark ?? (this.writableObjectMode ? 16 : 65536);
    this.writableLength = 0;
    this.writableNeedDrain = false;
    this._pending = [];
    this._writing = false;
    this._corked = 0;
    this._encoding = options.defaultEncoding ?? "utf8";
    if (typeof options.write === "function") this._write = options.write;
    if (typeof options.final === "function") this._final = options.final;
  },
  _write(chunk, encoding, done) {
    done(nodeError(Error, "ERR_METHOD_NOT_IMPLEMENTED", "The _write() method is not implemented"));
  },
  _final(done) { done(); },
  setDefaultEncoding(encoding) {
    this._encoding = encoding;
    return this;
  },
  cork() { this._corked++; },
  uncork() {
    this._corked = Math.max(0, this._corked - 1);
    this._drain();
  },
  write(chunk, encoding, done) {
    if (typeof encoding === "function") [encoding, done] = [undefined, encoding];
    if (chunk === null) throw nodeError(TypeError, "ERR_STREAM_NULL_VALUES", "May not write null values to stream");
    if (!this.writableObjectMode) {
      if (typeof chunk === "string") chunk = Buffer.from(chunk, encoding ?? this._encoding);
      else if (!(chunk instanceof Uint8Array)) throw invalidArgType("chunk", "of type string or an instance of Buffer or Uint8Array", chunk);
      else if (!Buffer.isBuffer(chunk)) chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      encoding = "buffer";
    }
    if (this.writableEnded || this.destroyed) {
      const err = this.writableEnded
        ? nodeError(Error, "ERR_STREAM_WRITE_AFTER_END", "write after end")
        : nodeError(Error, "ERR_STREAM_DESTROYED", "Cannot call write after a stream was destroyed");
      later(() => done?.(err));
      if (this.writableEnded) this.destroy(err);
      return false;
    }
    const size = this.writableObjectMode ? 1 : chunk.length;
    this.writableLength += size;
    this._pending.push({ chunk, encoding: encoding ?? this._encoding, done, size });
    const below = this.writableLength < this.writableHighWaterMark;
    if (!below) this.writableNeedDrain = true;
    this._drain();
    return below;
  },
  _drain() {
    if (this._writing || this.destroyed || this._corked > 0) return;
    const next = this._pending.shift();
    if (!next) {
      if (this.writableNeedDrain && !this.writableEnded) {
        this.writableNeedDrain = false;
        later(() => this.emit("drain"));
      }
      if (this.writableEnded) this._finish();
      return;
    }
    this._writing = true;
    let answered = false;
    const written = (err) => {
      if (answered) return;
      answered = true;
      this.writableLength -= next.size;
      later(() => {
        this._writing = false;
        if (err) {
          this.destroy(err);
          next.done?.(err);
          return;
        }
        next.done?.(null);
        this._drain();
      });
    };
    try {
      this._write(next.chunk, next.encoding, written);
    } catch (err) {
      written(err);
    }
  },
  end(chunk, encoding, done) {
    if (typeof chunk === "function") [chunk, encoding, done] = [undefined, undefined, chunk];
    else if (typeof encoding === "function") [encoding, done] = [undefined, encoding];
    if (chunk !== undefined && chunk !== null) this.write(chunk, encoding);
    if (done) {
      if (this.writableFinished) later(() => done());
      else this.once("finish", () => done());
    }
    if (this.writableEnded) return this;
    this.writableEnded = true;
    this.writable = false;
    this._corked = 0;
    this._drain();
    return this;
  },
  _finish() {
    if (this._finishing) return;
    this._finishing = true;
    this._final((err) => {
      later(() => {
        if (err) return void this.destroy(err);
        if (this.destroyed) return;
        this.writableFinished = true;
        this.emit("finish");
        if (this._autoDestroy) this._maybeClose();
      });
    });
  },
};

class Writable extends Stream {
  constructor(options = {}) {
    super(options);
    this._autoDestroy = options?.autoDestroy !== false;
    this._initWrite(options ?? {});
  }
}

class Duplex extends Stream {
  constructor(options = {}) {
    super(options);
    this._autoDestroy = options?.autoDestroy !== false;
    this._initRead(options ?? {});
    this._initWrite(options ?? {});
  }
}

const mix = (Class, ...sources) => {
  for (const source of sources) {
    for (const key of Reflect.ownKeys(source)) {
      Object.defineProperty(Class.prototype, key, { ...Object.getOwnPropertyDescriptor(source, key), enumerable: false });
    }
  }
};
mix(Readable, readMethods);
mix(Writable, writeMethods);
mix(Duplex, readMethods, writeMethods);

class Transform extends Duplex {
  constructor(options = {}) {
    super(options);
    if (typeof options?.transform === "function") this._transform = options.transform;
    if (typeof options?.flush === "function") this._flush = options.flush;
  }
  _transform(chunk, encoding, done) {
    done(nodeError(Error, "ERR_METHOD_NOT_IMPLEMENTED", "The _transform() method is not implemented"));
  }
  _flush(done) { done(); }
  _read() {
    const resume = this._resume;
    this._resume = null;
    resume?.();
  }
  _write(chunk, encoding, done) {
    this._transform(chunk, encoding, (err, out) => {
      if (err) return done(err);
      const room = out === undefined || out === null ? this.readableLength < this.readableHighWaterMark : this.push(out);
      if (room) done();
      else this._resume = done;
    });
  }
  _final(done) {
    this._flush((err, out) => {
      if (err) return done(err);
      if (out !== undefined && out !== null) this.push(out);
      this.push(null);
      done();
    });
  }
}

class PassThrough extends Transform {
  _transform(chunk, encoding, done) { done(null, chunk); }
}

// ---- helpers --------------------------------------------------------------------------
function finished(stream, options, callback) {
  if (typeof options === "function") callback = options;
  let called = false;
  const done = (err) => {
    if (called) return;
    called = true;
    cleanup();
    callback.call(stream, err ?? undefined);
  };
  const complete = () => (!stream._readable || stream.readableEnded) && (!stream._writable || stream.writableFinished);
  const onPart = () => complete() && done();
  const onClose = () => done(complete() ? undefined : stream.errored ?? nodeError(Error, "ERR_STREAM_PREMATURE_CLOSE", "Premature close"));
  const listeners = { end: onPart, finish: onPart, error: done, close: onClose };
  const cleanup = () => Object.entries(listeners).forEach(([type, fn]) => stream.removeListener(type, fn));
  for (const [type, fn] of Object.entries(listeners)) stream.on(type, fn);
  if (stream.closed) later(onClose);
  else if (complete()) later(() => done());
  return cleanup;
}

function pipeline(...stages) {
  const callback = typeof stages.at(-1) === "function" && stages.at(-1).length <= 2 && !isGenerator(stages.at(-1)) ? stages.pop() : () => {};
  if (Array.isArray(stages[0])) stages = stages[0];
  const streams = stages;
  let source = streams[0];
  if (typeof source === "function") source = source();
  if (typeof source.pipe !== "function") source = Readable.from(source);
  const all = [source];
  for (const stage of streams.slice(1)) {
    if (typeof stage === "function") {
      const result = stage(all.at(-1));
      all.push(typeof result?.[Symbol.asyncIterator] === "function" ? Readable.from(result) : Readable.from((async function* () { await result; })()));
    } else {
      all.at(-1).pipe(stage);
      all.push(stage);
    }
  }
  const last = all.at(-1);
  if (typeof streams.at(-1) === "function") last.resume();
  let failure;
  let left = all.length;
  for (const stream of all) {
    finished(stream, (err) => {
      if (err && !failure) {
        failure = err;
        for (const other of all) if (other !== stream) other.on("error", () => {}) && other.destroy(err);
      }
      if (--left === 0) callback(failure);
    });
  }
  return last;
}
const isGenerator = (fn) => /Generator/.test(Object.prototype.toString.call(fn));

const promises = {
  pipeline: (...stages) => {
    if (stages.at(-1)?.constructor === Object) stages.pop();
    return new Promise((resolve, reject) => pipeline(stages, (err) => (err ? reject(err) : resolve())));
  },
  finished: (stream, options) => new Promise((resolve, reject) => finished(stream, options ?? {}, (err) => (err ? reject(err) : resolve()))),
};
const custom = Symbol.for("nodejs.util.promisify.custom");
Object.defineProperty(pipeline, custom, { value: promises.pipeline });
Object.defineProperty(finished, custom, { value: promises.finished });

Object.assign(Stream, { Stream, Readable, Writable, Duplex, Transform, PassThrough, pipeline, finished, promises });

export { Stream, Readable, Writable, Duplex, Transform, PassThrough, pipeline, finished, promises };
export default Stream;

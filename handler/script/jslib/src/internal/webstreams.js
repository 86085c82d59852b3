// The part of the web's streams that fetch needs: a ReadableStream one can
// read, iterate, tee and pipe, and the transform streams for text.
import { TextDecoder, TextEncoder } from "internal:encoding";
import { nodeError } from "internal:errors";

class ReadableStream {
  #queue = [];
  #waiting = [];
  #state = "readable";
  #error;
  #source;
  #controller;
  #pulling = false;
  #reader = null;
  #limit;
  #started;

  constructor(source = {}, { highWaterMark = 1 } = {}) {
    this.#source = source;
    this.#limit = highWaterMark;
    const stream = this;
    this.#controller = {
      enqueue: (chunk) => stream.#enqueue(chunk),
      close: () => stream.#close(),
      error: (err) => stream.#fail(err),
      get desiredSize() { return stream.#state === "readable" ? stream.#limit - stream.#queue.length : 0; },
    };
    this.#started = Promise.resolve(source.start?.(this.#controller)).then(() => this.#pull(), (err) => this.#fail(err));
  }
  static from(iterable) {
    const iterator = iterable[Symbol.asyncIterator]?.() ?? iterable[Symbol.iterator]();
    return new ReadableStream({
      async pull(controller) {
        const { value, done } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => iterator.return?.(reason),
    }, { highWaterMark: 0 });
  }
  get locked() { return this.#reader !== null; }

  #enqueue(chunk) {
    if (this.#state !== "readable") throw nodeError(TypeError, "ERR_INVALID_STATE", "Invalid state: Controller is already closed");
    const next = this.#waiting.shift();
    if (next) next.resolve({ value: chunk, done: false });
    else this.#queue.push(chunk);
  }
  #close() {
    if (this.#state !== "readable") throw nodeError(TypeError, "ERR_INVALID_STATE", "Invalid state: Controller is already closed");
    this.#state = "closing";
    if (this.#queue.length === 0) this.#finish();
  }
  #finish() {
    this.#state = "closed";
    for (const next of this.#waiting.splice(0)) next.resolve({ value: undefined, done: true });
    this.#reader?.closed.resolve();
  }
  #fail(err) {
    if (this.#state === "closed" || this.#state === "errored") return;
    this.#state = "errored";
    this.#error = err;
    this.#queue = [];
    for (const next of this.#waiting.splice(0)) next.reject(err);
    this.#reader?.closed.reject(err);
  }
  #pull() {
    if (this.#pulling || this.#state !== "readable" || !this.#source.pull) return;
    if (this.#waiting.length === 0 && this.#queue.length >= this.#limit) return;
    this.#pulling = true;
    Promise.resolve()
      .then(() => this.#source.pull(this.#controller))
      .then(() => {
        this.#pulling = false;
        this.#pull();
      }, (err) => this.#fail(err));
  }
  #read() {
    if (this.#state === "errored") return Promise.reject(this.#error);
    if (this.#queue.length > 0) {
      const value = this.#queue.shift();
      if (this.#state === "closing" && this.#queue.length === 0) this.#finish();
      this.#pull();
      return Promise.resolve({ value, done: false });
    }
    if (this.#state === "closed") return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#started.then(() => this.#pull());
    });
  }
  async #cancel(reason) {
    if (this.#state === "errored") throw this.#error;
    if (this.#state === "closed") return;
    this.#queue = [];
    this.#finish();
    await this.#source.cancel?.(reason);
  }

  cancel(reason) {
    if (this.locked) return Promise.reject(nodeError(TypeError, "ERR_INVALID_STATE", "Invalid state: ReadableStream is locked"));
    return this.#cancel(reason);
  }
  getReader() {
    if (this.locked) throw nodeError(TypeError, "ERR_INVALID_STATE", "Invalid state: ReadableStream is locked");
    const closed = Promise.withResolvers();
    closed.promise.catch(() => {});
    this.#reader = { closed };
    if (this.#state === "closed") closed.resolve();
    if (this.#state === "errored") closed.reject(this.#error);
    const released = () => Promise.reject(nodeError(TypeError, "ERR_INVALID_STATE", "Invalid state: The reader is not attached to a stream"));
    let attached = true;
    return {
      closed: closed.promise,
      read: () => (attached ? this.#read() : released()),
      cancel: (reason) => (attached ? this.#cancel(reason) : released()),
      releaseLock: () => {
        if (attached) this.#reader = null;
        attached = false;
      },
    };
  }
  async *[Symbol.asyncIterator]() {
    const reader = this.getReader();
    let finished = false;
    try {
      while (true) {
        const { value, done } = await reader.read();
        finished = done;
        if (done) return;
        yield value;
      }
    } catch (err) {
      finished = true;
      throw err;
    } finally {
      if (!finished) await reader.cancel();
      reader.releaseLock();
    }
  }
  values() { return this[Symbol.asyncIterator](); }
  tee() {
    const reader = this.getReader();
    const branches = [];
    const pull = async () => {
      const { value, done } = await reader.read();
      for (const branch of branches) done ? branch.close() : branch.enqueue(value);
    };
    const make = () => new ReadableStream({ start: (c) => void branches.push(c), pull }, { highWaterMark: 0 });
    return [make(), make()];
  }
  pipeThrough({ readable, writable }) {
    this.pipeTo(writable).catch(() => {});
    return readable;
  }
  async pipeTo(target, { preventClose = false } = {}) {
    const writer = target.getWriter();
    try {
      for await (const chunk of this) await writer.write(chunk);
    } catch (err) {
      await writer.abort(err);
      throw err;
    }
    if (!preventClose) await writer.close();
  }
  get [Symbol.toStringTag]() { return "ReadableStream"; }
}

class WritableStream {
  #sink;
  #last = Promise.resolve();
  #locked = false;
  constructor(sink = {}) {
    this.#sink = sink;
    this.#last = Promise.resolve(sink.start?.({ error: (err) => void (this.#last = Promise.reject(err)) }));
  }
  get locked() { return this.#locked; }
  #then(step) {
    this.#last = this.#last.then(step);
    return this.#last;
  }
  getWriter() {
    if (this.#locked) throw nodeError(TypeError, "ERR_INVALID_STATE", "Invalid state: WritableStream is locked");
    this.#locked = true;
    const closed = Promise.withResolvers();
    closed.promise.catch(() => {});
    return {
      closed: closed.promise,
      ready: Promise.resolve(),
      desiredSize: 1,
      write: (chunk) => this.#then(() => this.#sink.write?.(chunk)),
      close: () => this.#then(() => this.#sink.close?.()).then(closed.resolve),
      abort: async (reason) => {
        closed.reject(reason);
        await this.#sink.abort?.(reason);
      },
      releaseLock: () => void (this.#locked = false),
    };
  }
  get [Symbol.toStringTag]() { return "WritableStream"; }
}

class TransformStream {
  constructor(transformer = {}) {
    let out;
    this.readable = new ReadableStream({ start: (controller) => void (out = controller) }, { highWaterMark: 0 });
    const controller = { enqueue: (chunk) => out.enqueue(chunk), error: (err) => out.error(err), terminate: () => out.close() };
    transformer.start?.(controller);
    this.writable = new WritableStream({
      write: (chunk) => (transformer.transform ? transformer.transform(chunk, controller) : controller.enqueue(chunk)),
      async close() {
        await transformer.flush?.(controller);
        out.close();
      },
      abort: (err) => out.error(err),
    });
  }
}

class TextDecoderStream extends TransformStream {
  constructor(label, options) {
    const decoder = new TextDecoder(label, options);
    super({
      transform(chunk, controller) {
        const text = decoder.decode(chunk, { stream: true });
        if (text !== "") controller.enqueue(text);
      },
      flush(controller) {
        const text = decoder.decode();
        if (text !== "") controller.enqueue(text);
      },
    });
    this.encoding = decoder.encoding;
  }
}

class TextEncoderStream extends TransformStream {
  constructor() {
    const encoder = new TextEncoder();
    super({ transform: (chunk, controller) => controller.enqueue(encoder.encode(String(chunk))) });
    this.encoding = "utf-8";
  }
}

export { ReadableStream, WritableStream, TransformStream, TextDecoderStream, TextEncoderStream };

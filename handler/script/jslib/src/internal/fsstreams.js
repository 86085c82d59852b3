// File streams and watchers of node:fs.
import { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { call, sync } from "hookline:host";
import { optionsOf, pathOf, prepare } from "internal:fsops";

async function run(name, ...args) {
  const { op, args: sent, done } = prepare(name, args);
  return done(await call(op, sent));
}

class ReadStream extends Readable {
  #opened;
  constructor(path, options) {
    const { encoding, flags = "r", mode = 0o666, start = 0, end = Infinity, highWaterMark = 65536, fd, autoClose = true } = optionsOf(options);
    super({ encoding, highWaterMark });
    Object.assign(this, { path, flags, mode, start, end, pos: start, fd: fd ?? null, autoClose, bytesRead: 0 });
    this.#opened = (fd === undefined ? run("open", path, flags, mode) : Promise.resolve(fd)).then(
      (got) => {
        this.fd = got;
        this.emit("open", got);
        this.emit("ready");
      },
      (err) => this.destroy(err),
    );
  }
  async _read(size) {
    await this.#opened;
    if (this.destroyed) return;
    const left = this.end - this.pos + 1;
    if (left <= 0) return void this.push(null);
    try {
      const { bytesRead, buffer } = await run("read", this.fd, Buffer.alloc(Math.min(size, left)), { position: this.pos });
      this.pos += bytesRead;
      this.bytesRead += bytesRead;
      this.push(bytesRead === 0 ? null : buffer.subarray(0, bytesRead));
    } catch (err) {
      this.destroy(err);
    }
  }
  _destroy(err, done) {
    const fd = this.autoClose ? this.fd : null;
    this.fd = null;
    if (fd === null) done(err);
    else run("close", fd).then(() => done(err), done);
  }
  close(callback) {
    if (callback) this.once("close", callback);
    this.destroy();
  }
}

class WriteStream extends Writable {
  #opened;
  constructor(path, options) {
    const { encoding = "utf8", flags = "w", mode = 0o666, start, fd, autoClose = true } = optionsOf(options);
    super({ defaultEncoding: encoding });
    Object.assign(this, { path, flags, mode, pos: start, fd: fd ?? null, autoClose, bytesWritten: 0 });
    this.#opened = (fd === undefined ? run("open", path, flags, mode) : Promise.resolve(fd)).then(
      (got) => {
        this.fd = got;
        this.emit("open", got);
        this.emit("ready");
      },
      (err) => this.destroy(err),
    );
  }
  async _write(chunk, encoding, done) {
    await this.#opened;
    if (this.destroyed) return done();
    try {
      for (let at = 0; at < chunk.length; ) {
        const { bytesWritten } = await run("write", this.fd, chunk, at, chunk.length - at, this.pos);
        at += bytesWritten;
        if (this.pos !== undefined) this.pos += bytesWritten;
        this.bytesWritten += bytesWritten;
      }
      done();
    } catch (err) {
      done(err);
    }
  }
  async _final(done) {
    await this.#opened;
    done();
  }
  _destroy(err, done) {
    const fd = this.autoClose ? this.fd : null;
    this.fd = null;
    if (fd === null) done(err);
    else run("close", fd).then(() => done(err), done);
  }
  close(callback) {
    if (callback) this.once("close", callback);
    this.end();
  }
}

const createReadStream = (path, options) => new ReadStream(path, options);
const createWriteStream = (path, options) => new WriteStream(path, options);

class FSWatcher extends EventEmitter {
  #controller = new globalThis.AbortController();
  constructor(path, options) {
    super();
    // Adding the watch is synchronous, so that a missing file throws at once
    // and no event after this line is lost.
    const id = sync("node.fs.watchOpen", { path: pathOf(path), recursive: Boolean(options?.recursive) });
    call("node.fs.watch", { id }, {
      signal: this.#controller.signal,
      onEvent: ({ type, name }) => {
        if (!this.#controller.signal.aborted) this.emit("change", type, options?.encoding === "buffer" ? Buffer.from(name) : name);
      },
    }).then(
      () => this.emit("close"),
      (err) => {
        if (this.#controller.signal.aborted) this.emit("close");
        else this.emit("error", err);
      },
    );
    const outer = options?.signal;
    if (outer?.aborted) this.close();
    else outer?.addEventListener("abort", () => this.close(), { once: true });
  }
  close() { this.#controller.abort(); }
  ref() { return this; }
  unref() { return this; }
}

function watch(path, options, listener) {
  if (typeof options === "function") [options, listener] = [undefined, options];
  const watcher = new FSWatcher(path, optionsOf(options));
  if (listener) watcher.on("change", listener);
  return watcher;
}

// ---- watchFile: polling ------------------------------------------------------------
const watched = new Map();
const missing = {
  dev: 0, mode: 0, nlink: 0, uid: 0, gid: 0, rdev: 0, blksize: 0, ino: 0, size: 0, blocks: 0, atimeMs: 0, mtimeMs: 0,
  ctimeMs: 0, birthtimeMs: 0,
};

function statOrNothing(path) {
  const { op, args, done } = prepare("stat", [path]);
  try {
    return done(sync(op, args));
  } catch (err) {
    if (err.code === "ERR_ACCESS_DENIED") throw err;
    return done(missing);
  }
}

class StatWatcher extends EventEmitter {
  ref() { return this; }
  unref() { return this; }
}

function watchFile(path, options, listener) {
  if (typeof options === "function") [options, listener] = [{}, options];
  const name = pathOf(path);
  let entry = watched.get(name);
  if (!entry) {
    entry = { watcher: new StatWatcher(), last: statOrNothing(name) };
    entry.timer = globalThis.setInterval(() => {
      const now = statOrNothing(name);
      if (now.mtimeMs === entry.last.mtimeMs && now.size === entry.last.size && now.ino === entry.last.ino) return;
      const before = entry.last;
      entry.last = now;
      entry.watcher.emit("change", now, before);
    }, options?.interval ?? 5007);
    watched.set(name, entry);
  }
  entry.watcher.on("change", listener);
  return entry.watcher;
}

function unwatchFile(path, listener) {
  const name = pathOf(path);
  const entry = watched.get(name);
  if (!entry) return;
  if (listener) entry.watcher.removeListener("change", listener);
  else entry.watcher.removeAllListeners("change");
  if (entry.watcher.listenerCount("change") === 0) {
    globalThis.clearInterval(entry.timer);
    watched.delete(name);
  }
}

export { ReadStream, WriteStream, createReadStream, createWriteStream, FSWatcher, StatWatcher, watch, watchFile, unwatchFile };

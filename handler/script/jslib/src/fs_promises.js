// node:fs/promises
import { builtin, call } from "hookline:host";
import { names, pathOf, prepare } from "internal:fsops";
import { constants } from "internal:fsstats";

const api = {};
for (const name of names) {
  api[name] = {
    async [name](...args) {
      if (args[0] instanceof FileHandle) args[0] = args[0].fd;
      const { op, args: sent, done, quiet } = prepare(name, args);
      try {
        return done(await call(op, sent));
      } catch (err) {
        if (quiet && err.code === "ENOENT") return undefined;
        throw err;
      }
    },
  }[name];
}

class FileHandle {
  #fd;
  constructor(fd) { this.#fd = fd; }
  get fd() { return this.#fd; }
  readFile(options) { return api.readFile(this.#fd, options); }
  writeFile(data, options) { return api.writeFile(this.#fd, data, options); }
  appendFile(data, options) { return api.writeFile(this.#fd, data, options); }
  read(...args) { return api.read(this.#fd, ...args); }
  write(...args) { return api.write(this.#fd, ...args); }
  stat(options) { return api.fstat(this.#fd, options); }
  truncate(length) { return api.ftruncate(this.#fd, length); }
  sync() { return api.fsync(this.#fd); }
  datasync() { return api.fsync(this.#fd); }
  async close() {
    if (this.#fd < 0) return;
    const fd = this.#fd;
    this.#fd = -1;
    await api.close(fd);
  }
  [Symbol.asyncDispose]() { return this.close(); }
  async *readLines(options) {
    const text = await this.readFile({ encoding: "utf8", ...options });
    const lines = text.split(/\r?\n/);
    if (lines.at(-1) === "") lines.pop();
    yield* lines;
  }
}

const openFd = api.open;
const open = async (...args) => new FileHandle(await openFd(...args));

// watch is an endless iteration over {eventType, filename}.
async function* watch(path, options = {}) {
  const { FSWatcher } = builtin("internal:fsstreams");
  const watcher = new FSWatcher(pathOf(path), options);
  try {
    for await (const [eventType, filename] of builtin("events").on(watcher, "change", { signal: options.signal })) yield { eventType, filename };
  } finally {
    watcher.close();
  }
}

const opendir = async (path, options) => builtin("fs").opendirSync(path, options);

const {
  readFile, writeFile, appendFile, stat, lstat, readdir, mkdir, mkdtemp, rm, rmdir, unlink, rename, copyFile, cp, access,
  realpath, readlink, symlink, link, chmod, utimes, truncate,
} = api;

export {
  readFile, writeFile, appendFile, stat, lstat, readdir, mkdir, mkdtemp, rm, rmdir, unlink, rename, copyFile, cp, access,
  realpath, readlink, symlink, link, chmod, utimes, truncate, open, opendir, watch, constants,
};

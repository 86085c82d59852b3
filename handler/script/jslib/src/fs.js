// node:fs. The forms of each operation are made from internal:fsops.
import { builtin, call, sync } from "hookline:host";
import { invalidArgType, requireFunction } from "internal:errors";
import { names, pathOf, prepare } from "internal:fsops";
import { Dirent, Stats, constants } from "internal:fsstats";
import promises from "node:fs/promises";

function runSync(name, args) {
  const { op, args: sent, done, quiet } = prepare(name, args);
  try {
    return done(sync(op, sent));
  } catch (err) {
    if (quiet && err.code === "ENOENT") return undefined;
    throw err;
  }
}

// spread lists results that callbacks get as several arguments.
const spread = {
  read: ({ bytesRead, buffer }) => [bytesRead, buffer],
  write: ({ bytesWritten, buffer }) => [bytesWritten, buffer],
};

function runCallback(name, args) {
  const callback = args.pop();
  if (typeof callback !== "function") throw invalidArgType("cb", "of type function", undefined);
  const { op, args: sent, done, quiet } = prepare(name, args);
  call(op, sent).then(
    (raw) => globalThis.queueMicrotask(() => callback(null, ...(spread[name] ?? ((value) => [value]))(done(raw)))),
    (err) => globalThis.queueMicrotask(() => (quiet && err.code === "ENOENT" ? callback(null, undefined) : callback(err))),
  );
}

const api = {};
for (const name of names) {
  api[name] = { [name](...args) { return runCallback(name, args); } }[name];
  api[name + "Sync"] = { [name + "Sync"](...args) { return runSync(name, args); } }[name + "Sync"];
}
api.readSync = (...args) => runSync("read", args).bytesRead;
api.writeSync = (...args) => runSync("write", args).bytesWritten;
api.realpath.native = api.realpath;
api.realpathSync.native = api.realpathSync;

for (const name of ["read", "write"]) {
  const custom = (...args) => {
    const { op, args: sent, done } = prepare(name, args);
    return call(op, sent).then(done);
  };
  Object.defineProperty(api[name], Symbol.for("nodejs.util.promisify.custom"), { value: custom });
}

function existsSync(path) {
  let name;
  try {
    name = pathOf(path);
  } catch {
    return false;
  }
  return sync("node.fs.exists", { path: name });
}

function exists(path, callback) {
  requireFunction(callback, "cb");
  call("node.fs.exists", { path: pathOf(path) }).then(callback, () => callback(false));
}
Object.defineProperty(exists, Symbol.for("nodejs.util.promisify.custom"), {
  value: (path) => call("node.fs.exists", { path: pathOf(path) }),
});

// Streams and watchers are loaded when a module first asks for one.
const streams = () => builtin("internal:fsstreams");
const createReadStream = (path, options) => streams().createReadStream(path, options);
const createWriteStream = (path, options) => streams().createWriteStream(path, options);
const watch = (...args) => streams().watch(...args);
const watchFile = (...args) => streams().watchFile(...args);
const unwatchFile = (...args) => streams().unwatchFile(...args);
const standIn = (name) =>
  new Proxy(class {}, {
    construct: (_, args) => Reflect.construct(streams()[name], args),
    apply: (_, __, args) => Reflect.construct(streams()[name], args),
    get: (_, key) => (key === Symbol.hasInstance ? (value) => value instanceof streams()[name] : streams()[name][key]),
  });
const ReadStream = standIn("ReadStream");
const WriteStream = standIn("WriteStream");
const FSWatcher = standIn("FSWatcher");
const StatWatcher = standIn("StatWatcher");

// opendir reads the directory at once and hands it out entry by entry.
class Dir {
  #entries;
  constructor(path, entries) {
    this.path = path;
    this.#entries = entries;
  }
  readSync() { return this.#entries.shift() ?? null; }
  async read() { return this.readSync(); }
  closeSync() { this.#entries = []; }
  async close() { this.closeSync(); }
  async *[Symbol.asyncIterator]() { for (const entry of this.#entries) yield entry; }
}
const opendirSync = (path, options) => new Dir(pathOf(path), runSync("readdir", [path, { ...options, withFileTypes: true }]));
function opendir(path, options, callback) {
  if (typeof options === "function") [options, callback] = [undefined, options];
  requireFunction(callback, "cb");
  promises.readdir(path, { ...options, withFileTypes: true }).then((list) => callback(null, new Dir(pathOf(path), list)), callback);
}

const {
  readFile, readFileSync, writeFile, writeFileSync, appendFile, appendFileSync, stat, statSync, lstat, lstatSync, fstat,
  fstatSync, readdir, readdirSync, mkdir, mkdirSync, mkdtemp, mkdtempSync, rm, rmSync, rmdir, rmdirSync, unlink, unlinkSync,
  rename, renameSync, copyFile, copyFileSync, cp, cpSync, access, accessSync, realpath, realpathSync, readlink, readlinkSync,
  symlink, symlinkSync, link, linkSync, chmod, chmodSync, utimes, utimesSync, truncate, truncateSync, ftruncate,
  ftruncateSync, open, openSync, close, closeSync, fsync, fsyncSync, fdatasync, fdatasyncSync, read, readSync, write, writeSync,
} = api;
const { F_OK, R_OK, W_OK, X_OK } = constants;

export {
  readFile, readFileSync, writeFile, writeFileSync, appendFile, appendFileSync, stat, statSync, lstat, lstatSync, fstat,
  fstatSync, readdir, readdirSync, mkdir, mkdirSync, mkdtemp, mkdtempSync, rm, rmSync, rmdir, rmdirSync, unlink, unlinkSync,
  rename, renameSync, copyFile, copyFileSync, cp, cpSync, access, accessSync, realpath, realpathSync, readlink, readlinkSync,
  symlink, symlinkSync, link, linkSync, chmod, chmodSync, utimes, utimesSync, truncate, truncateSync, ftruncate,
  ftruncateSync, open, openSync, close, closeSync, fsync, fsyncSync, fdatasync, fdatasyncSync, read, readSync, write, writeSync,
  existsSync, exists, opendir, opendirSync, Dir, Dirent, Stats, FSWatcher, StatWatcher, ReadStream, WriteStream,
  createReadStream, createWriteStream, watch, watchFile, unwatchFile, constants, promises, F_OK, R_OK, W_OK, X_OK,
};

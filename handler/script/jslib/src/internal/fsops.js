// The operations of node:fs. Each entry turns a call's arguments into
// {args, done}: what to send to the host and what to make of its answer. The
// sync, callback and promise forms in node:fs are all made from this table.
import { Buffer } from "node:buffer";
import { fromWire, toWire } from "internal:encoding";
import { invalidArgType, invalidArgValue, nodeError } from "internal:errors";
import { Dirent, Stats } from "internal:fsstats";

// pathOf accepts what Node accepts: a string, a Buffer or a file URL.
function pathOf(value, name = "path") {
  if (value instanceof globalThis.URL) return globalThis[Symbol.for("hookline.host")].builtin("url").fileURLToPath(value);
  if (value instanceof Uint8Array) value = Buffer.from(value).toString();
  if (typeof value !== "string") throw invalidArgType(name, "of type string or an instance of Buffer or URL", value);
  if (value.includes("\0")) throw invalidArgValue(name, value.replaceAll("\0", "\\x00"), "must be a string, Uint8Array, or URL without null bytes");
  return value;
}

const target = (file) => (typeof file === "number" ? { fd: file } : { path: pathOf(file) });

function optionsOf(options, defaults) {
  if (typeof options === "string") options = { encoding: options };
  if (options === undefined || options === null || typeof options === "function") return { ...defaults };
  if (typeof options !== "object") throw invalidArgType("options", "one of type string or object", options);
  if (options.encoding && options.encoding !== "buffer" && !Buffer.isEncoding(options.encoding)) {
    throw invalidArgValue("encoding", options.encoding, "is invalid encoding");
  }
  return { ...defaults, ...options };
}

const modeOf = (mode) => (typeof mode === "string" ? parseInt(mode, 8) : mode);

// payloadOf sends text as text where that loses nothing.
function payloadOf(data, encoding) {
  if (typeof data === "string") {
    if (!encoding || /^utf-?8$/i.test(encoding)) return { text: data.toWellFormed() };
    data = Buffer.from(data, encoding);
  }
  if (ArrayBuffer.isView(data)) return { data: toWire(data) };
  throw invalidArgType("data", "of type string or an instance of Buffer, TypedArray, or DataView", data);
}

const bufferOf = (wire) => Buffer.from(fromWire(wire).buffer);

// timeOf is milliseconds since 1970 from what utimes accepts.
function timeOf(value) {
  if (value instanceof Date) return value.getTime();
  const seconds = Number(value);
  if (Number.isNaN(seconds)) throw invalidArgType("time", "an instance of Date or of type number", value);
  return seconds * 1000;
}

const same = (value) => value;
const nothing = () => undefined;

function stat(op) {
  return (path, options) => ({
    op,
    args: { path: pathOf(path) },
    done: (raw) => new Stats(raw, options?.bigint),
    quiet: options?.throwIfNoEntry === false,
  });
}

const named = (path, options) => (optionsOf(options).encoding === "buffer" ? Buffer.from(path) : path);

const ops = {
  readFile(file, options) {
    const { encoding, flag } = optionsOf(options);
    const utf8 = /^utf-?8$/i.test(encoding ?? "");
    return {
      args: { ...target(file), utf8, flag },
      done(raw) {
        if (utf8) return raw.text ?? bufferOf(raw.data).toString("utf8");
        const buffer = raw.text === undefined ? bufferOf(raw.data) : Buffer.from(raw.text);
        return encoding && encoding !== "buffer" ? buffer.toString(encoding) : buffer;
      },
    };
  },
  writeFile(file, data, options) {
    const { encoding, flag, mode } = optionsOf(options, { flag: "w", mode: 0o666 });
    return { args: { ...target(file), ...payloadOf(data, encoding), flag, mode: modeOf(mode) }, done: nothing };
  },
  appendFile(file, data, options) {
    return { ...ops.writeFile(file, data, optionsOf(options, { flag: "a" })), op: "writeFile" };
  },
  stat: stat("stat"),
  lstat: stat("lstat"),
  fstat: (fd, options) => ({ args: { fd }, done: (raw) => new Stats(raw, options?.bigint) }),
  readdir(path, options) {
    const { withFileTypes, recursive, encoding } = optionsOf(options);
    const name = pathOf(path);
    return {
      args: { path: name, recursive: Boolean(recursive) },
      done: (list) =>
        list.map((entry) => {
          if (withFileTypes) return new Dirent(entry.name, entry.parent, entry.kind);
          const full = entry.within ? entry.within + entry.name : entry.name;
          return encoding === "buffer" ? Buffer.from(full) : full;
        }),
    };
  },
  mkdir(path, options) {
    const { recursive, mode } = typeof options === "object" && options !== null ? options : { mode: options };
    return {
      args: { path: pathOf(path), recursive: Boolean(recursive), mode: modeOf(mode ?? 0o777) },
      done: (made) => (recursive ? made ?? undefined : undefined),
    };
  },
  mkdtemp: (prefix, options) => ({ args: { path: pathOf(prefix, "prefix") }, done: (path) => named(path, options) }),
  rm: (path, { recursive = false, force = false } = {}) => ({ args: { path: pathOf(path), recursive, force }, done: nothing }),
  rmdir: (path, options) => ({ args: { path: pathOf(path), recursive: Boolean(options?.recursive) }, done: nothing }),
  unlink: (path) => ({ args: { path: pathOf(path) }, done: nothing }),
  rename: (from, to) => ({ args: { path: pathOf(from, "oldPath"), dest: pathOf(to, "newPath") }, done: nothing }),
  copyFile: (from, to, mode = 0) => ({ args: { path: pathOf(from, "src"), dest: pathOf(to, "dest"), mode }, done: nothing }),
  cp(from, to, options = {}) {
    const { recursive = false, force = true, errorOnExist = false } = options;
    if (options.filter) throw nodeError(TypeError, "ERR_INVALID_ARG_VALUE", "cp: the filter option is not supported here");
    return { args: { path: pathOf(from, "src"), dest: pathOf(to, "dest"), recursive, force, errorOnExist }, done: nothing };
  },
  access: (path, mode = 0) => ({ args: { path: pathOf(path), mode }, done: nothing }),
  realpath: (path, options) => ({ args: { path: pathOf(path) }, done: (p) => named(p, options) }),
  readlink: (path, options) => ({ args: { path: pathOf(path) }, done: (p) => named(p, options) }),
  symlink: (to, path) => ({ args: { path: pathOf(path), target: pathOf(to, "target") }, done: nothing }),
  link: (from, to) => ({ args: { path: pathOf(from, "existingPath"), dest: pathOf(to, "newPath") }, done: nothing }),
  chmod: (path, mode) => ({ args: { path: pathOf(path), mode: modeOf(mode) }, done: nothing }),
  utimes: (path, atime, mtime) => ({ args: { path: pathOf(path), atime: timeOf(atime), mtime: timeOf(mtime) }, done: nothing }),
  truncate: (path, len = 0) => ({ args: { ...target(path), length: len ?? 0 }, done: nothing }),
  ftruncate: (fd, len = 0) => ({ op: "truncate", args: { fd, length: len ?? 0 }, done: nothing }),
  open: (path, flags = "r", mode = 0o666) => ({ args: { path: pathOf(path), flag: flags ?? "r", mode: modeOf(mode) }, done: same }),
  close: (fd) => ({ args: { fd: checkFd(fd) }, done: nothing }),
  fsync: (fd) => ({ args: { fd: checkFd(fd) }, done: nothing }),
  fdatasync: (fd) => ({ op: "fsync", args: { fd: checkFd(fd) }, done: nothing }),

  // read(fd, buffer, offset, length, position) or (fd, buffer, options)
  read(fd, buffer, offset, length, position) {
    if (offset !== null && typeof offset === "object") ({ offset, length, position } = offset);
    if (!ArrayBuffer.isView(buffer)) ({ buffer = Buffer.alloc(16384), offset, length, position } = buffer ?? {});
    offset ??= 0;
    length ??= buffer.byteLength - offset;
    if (offset < 0 || length < 0 || offset + length > buffer.byteLength) {
      throw nodeError(RangeError, "ERR_OUT_OF_RANGE", `The value of "length" is out of range. Received ${length}`);
    }
    return {
      args: { fd: checkFd(fd), length, position: positionOf(position) },
      done(raw) {
        const bytes = fromWire(raw.data);
        new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).set(bytes, offset);
        return { bytesRead: bytes.length, buffer };
      },
    };
  },
  // write(fd, buffer, offset, length, position) or (fd, text, position, encoding)
  write(fd, data, offset, length, position) {
    let payload;
    if (typeof data === "string") {
      payload = { data: toWire(Buffer.from(data, typeof length === "string" ? length : "utf8")) };
      position = offset;
    } else {
      if (offset !== null && typeof offset === "object") ({ offset, length, position } = offset);
      if (!ArrayBuffer.isView(data)) throw invalidArgType("buffer", "of type string or an instance of Buffer, TypedArray, or DataView", data);
      offset ??= 0;
      length ??= data.byteLength - offset;
      payload = payloadOf(new Uint8Array(data.buffer, data.byteOffset + offset, length));
    }
    return {
      args: { fd: checkFd(fd), ...payload, position: positionOf(position) },
      done: (n) => ({ bytesWritten: n, buffer: data }),
    };
  },
};

function checkFd(fd) {
  if (typeof fd !== "number") throw invalidArgType("fd", "of type number", fd);
  return fd;
}

const positionOf = (position) =>
  typeof position === "bigint" ? Number(position) : typeof position === "number" && position >= 0 ? position : -1;

// prepare builds one call.
function prepare(name, args) {
  const call = ops[name](...args);
  return { ...call, op: "node.fs." + (call.op ?? name) };
}

const names = Object.keys(ops);

export { prepare, names, pathOf, bufferOf, optionsOf, payloadOf };

// Stats, Dirent and the numbers of node:fs.

const constants = {
  F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, COPYFILE_EXCL: 1, COPYFILE_FICLONE: 2, COPYFILE_FICLONE_FORCE: 4,
  UV_FS_COPYFILE_EXCL: 1, UV_FS_COPYFILE_FICLONE: 2, UV_FS_COPYFILE_FICLONE_FORCE: 4,
  O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_SYNC: 1052672,
  S_IFMT: 61440, S_IFREG: 32768, S_IFDIR: 16384, S_IFCHR: 8192, S_IFBLK: 24576, S_IFIFO: 4096, S_IFLNK: 40960, S_IFSOCK: 49152,
  S_IRWXU: 448, S_IRUSR: 256, S_IWUSR: 128, S_IXUSR: 64, S_IRWXG: 56, S_IRGRP: 32, S_IWGRP: 16, S_IXGRP: 8,
  S_IRWXO: 7, S_IROTH: 4, S_IWOTH: 2, S_IXOTH: 1,
  UV_DIRENT_UNKNOWN: 0, UV_DIRENT_FILE: 1, UV_DIRENT_DIR: 2, UV_DIRENT_LINK: 3, UV_DIRENT_FIFO: 4, UV_DIRENT_SOCKET: 5,
  UV_DIRENT_CHAR: 6, UV_DIRENT_BLOCK: 7,
};

const kinds = {
  isFile: ["file", constants.S_IFREG],
  isDirectory: ["dir", constants.S_IFDIR],
  isSymbolicLink: ["link", constants.S_IFLNK],
  isFIFO: ["fifo", constants.S_IFIFO],
  isSocket: ["socket", constants.S_IFSOCK],
  isCharacterDevice: ["char", constants.S_IFCHR],
  isBlockDevice: ["block", constants.S_IFBLK],
};

class Stats {
  constructor(raw, bigint = false) {
    const number = bigint ? (n) => BigInt(Math.trunc(n)) : (n) => n;
    for (const key of ["dev", "mode", "nlink", "uid", "gid", "rdev", "blksize", "ino", "size", "blocks", "atimeMs", "mtimeMs", "ctimeMs", "birthtimeMs"]) {
      this[key] = number(raw[key]);
    }
    for (const key of ["atime", "mtime", "ctime", "birthtime"]) {
      if (bigint) this[key + "Ns"] = BigInt(Math.round(raw[key + "Ms"] * 1e6));
      this[key] = new Date(Math.round(raw[key + "Ms"]));
    }
  }
}

class Dirent {
  #kind;
  constructor(name, parent, kind) {
    this.name = name;
    this.parentPath = parent;
    this.path = parent;
    this.#kind = kind;
  }
  static _kind(entry) { return entry.#kind; }
}
const kindOf = Dirent._kind;
delete Dirent._kind;

for (const [method, [kind, bits]] of Object.entries(kinds)) {
  Object.defineProperty(Stats.prototype, method, {
    configurable: true, writable: true,
    value() { return (Number(this.mode) & constants.S_IFMT) === bits; },
  });
  Object.defineProperty(Dirent.prototype, method, {
    configurable: true, writable: true,
    value() { return kindOf(this) === kind; },
  });
}

export { Stats, Dirent, constants };

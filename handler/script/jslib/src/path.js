// node:path. The two flavours share one builder where their rules agree; what
// differs is how a path's root is read.
import { sync } from "hookline:host";
import { invalidArgType, requireString } from "internal:errors";

const platform = sync("node.os.platform");

// collapse resolves "." and ".." in a list of segments.
function collapse(segments, allowAbove) {
  const out = [];
  for (const segment of segments) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") out.push(segment);
    else if (out.length > 0 && out[out.length - 1] !== "..") out.pop();
    else if (allowAbove) out.push("..");
  }
  return out;
}

function stripSuffix(base, suffix) {
  if (suffix !== undefined && base !== suffix && base.endsWith(suffix)) {
    return base.slice(0, base.length - suffix.length);
  }
  return base;
}

function extensionOf(base) {
  const dot = base.lastIndexOf(".");
  return dot <= 0 || base === ".." ? "" : base.slice(dot);
}

// build makes one flavour. rootLength(path) is the length of the part that
// dirname and its kin never cut into.
function build(sep, isSep, rootLength) {
  const endOf = (path, from) => {
    let end = path.length;
    while (end > from && isSep(path[end - 1])) end--;
    return end;
  };
  const lastSep = (path, end, from) => {
    for (let i = end - 1; i >= from; i--) if (isSep(path[i])) return i;
    return -1;
  };

  const flavour = {
    dirname(path) {
      requireString(path, "path");
      if (path === "") return ".";
      const root = rootLength(path);
      const end = endOf(path, root);
      const cut = lastSep(path, end, root);
      if (cut === -1) return root > 0 ? path.slice(0, root) : ".";
      // Posix keeps "//" of "//a" as it stands.
      if (sep === "/" && root === 1 && cut === 1) return "//";
      return path.slice(0, cut);
    },

    basename(path, suffix) {
      if (suffix !== undefined) requireString(suffix, "suffix");
      requireString(path, "path");
      if (suffix !== undefined && suffix !== "" && suffix === path) return "";
      const start = sep === "\\" && /^[a-z]:/i.test(path) ? 2 : 0;
      const end = endOf(path, start);
      const base = path.slice(Math.max(lastSep(path, end, start) + 1, start), end);
      return stripSuffix(base, suffix);
    },

    extname(path) {
      requireString(path, "path");
      return extensionOf(flavour.basename(path));
    },

    parse(path) {
      requireString(path, "path");
      const root = rootLength(path);
      const end = endOf(path, root);
      const cut = lastSep(path, end, root);
      const base = path.slice(cut === -1 ? root : cut + 1, end);
      const ext = extensionOf(base);
      let dir = path.slice(0, root);
      if (cut !== -1) dir = path.slice(0, cut);
      if (cut !== -1 && dir.length < root) dir = path.slice(0, root);
      return { root: path.slice(0, root), dir, base, ext, name: base.slice(0, base.length - ext.length) };
    },

    format(parts) {
      if (parts === null || typeof parts !== "object" || Array.isArray(parts)) {
        throw invalidArgType("pathObject", "of type object", parts);
      }
      const dir = parts.dir || parts.root;
      let ext = parts.ext || "";
      if (ext && ext[0] !== ".") ext = "." + ext;
      const base = parts.base || (parts.name || "") + ext;
      if (!dir) return base;
      return dir === parts.root ? dir + base : dir + sep + base;
    },
  };
  return flavour;
}

const isSlash = (c) => c === "/";

const posix = {
  ...build("/", isSlash, (path) => (path[0] === "/" ? 1 : 0)),
  sep: "/",
  delimiter: ":",

  isAbsolute(path) {
    requireString(path, "path");
    return path[0] === "/";
  },

  normalize(path) {
    requireString(path, "path");
    if (path === "") return ".";
    const absolute = path[0] === "/";
    let out = collapse(path.split("/"), !absolute).join("/");
    if (out === "" && !absolute) out = ".";
    if (path.endsWith("/") && out !== "") out += "/";
    return absolute ? "/" + out : out;
  },

  join(...parts) {
    for (const part of parts) requireString(part, "path");
    return posix.normalize(parts.filter((part) => part !== "").join("/"));
  },

  resolve(...parts) {
    let joined = "";
    for (let i = parts.length - 1; i >= -1 && joined[0] !== "/"; i--) {
      const part = i >= 0 ? parts[i] : globalThis.process.cwd();
      requireString(part, `paths[${i}]`);
      if (part !== "") joined = joined === "" ? part : part + "/" + joined;
    }
    const absolute = joined[0] === "/";
    const out = collapse(joined.split("/"), !absolute).join("/");
    return absolute ? "/" + out : out || ".";
  },

  relative(from, to) {
    requireString(from, "from");
    requireString(to, "to");
    return relativeOf(posix.resolve(from), posix.resolve(to), "/", (s) => s);
  },

  toNamespacedPath: (path) => path,
};

// relativeOf walks two resolved paths from their common ancestor.
function relativeOf(from, to, sep, fold) {
  const a = from.split(sep).filter(Boolean);
  const b = to.split(sep).filter(Boolean);
  let common = 0;
  while (common < a.length && common < b.length && fold(a[common]) === fold(b[common])) common++;
  return [...Array(a.length - common).fill(".."), ...b.slice(common)].join(sep);
}

const isAnySlash = (c) => c === "\\" || c === "/";

// windowsRoot reads the start of a Windows path: the device ("C:" or
// "\\server\share"), whether a separator follows it, and the length of both.
function windowsRoot(path) {
  if (isAnySlash(path[0])) {
    const unc = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/.exec(path);
    if (unc) {
      const rest = path[unc[0].length];
      return {
        device: `\\\\${unc[1]}\\${unc[2]}`,
        absolute: true,
        length: unc[0].length + (rest === undefined ? 0 : 1),
        unc: true,
      };
    }
    return { device: "", absolute: true, length: 1 };
  }
  if (/^[a-z]:/i.test(path)) {
    const absolute = isAnySlash(path[2]);
    return { device: path.slice(0, 2), absolute, length: absolute ? 3 : 2 };
  }
  return { device: "", absolute: false, length: 0 };
}

const win32 = {
  ...build("\\", isAnySlash, (path) => windowsRoot(path).length),
  sep: "\\",
  delimiter: ";",

  isAbsolute(path) {
    requireString(path, "path");
    return windowsRoot(path).absolute;
  },

  normalize(path) {
    requireString(path, "path");
    if (path === "") return ".";
    const root = windowsRoot(path);
    const rest = path.slice(root.length);
    let out = collapse(rest.split(/[\\/]/), !root.absolute).join("\\");
    if (out === "" && !root.absolute) out = ".";
    if (out !== "" && isAnySlash(path[path.length - 1])) out += "\\";
    return root.device + (root.absolute ? "\\" : "") + out;
  },

  join(...parts) {
    for (const part of parts) requireString(part, "path");
    const used = parts.filter((part) => part !== "");
    if (used.length === 0) return ".";
    let joined = used.join("\\");
    // Only a first part that is itself a UNC start may make the result one.
    if (!/^[\\/]{2}[^\\/]/.test(used[0])) joined = joined.replace(/^[\\/]{2,}/, "\\");
    return win32.normalize(joined);
  },

  resolve(...parts) {
    let device = "";
    let tail = "";
    let absolute = false;
    for (let i = parts.length - 1; i >= -1; i--) {
      const part = i >= 0 ? parts[i] : globalThis.process.cwd();
      requireString(part, `paths[${i}]`);
      if (part === "") continue;
      const root = windowsRoot(part);
      if (root.device !== "") {
        if (device === "") device = root.device;
        else if (device.toLowerCase() !== root.device.toLowerCase()) continue;
      }
      if (!absolute) {
        tail = part.slice(root.length) + "\\" + tail;
        absolute = root.absolute;
      }
      if (absolute && device !== "") break;
    }
    const out = collapse(tail.split(/[\\/]/), !absolute).join("\\");
    return device + (absolute ? "\\" : "") + out || ".";
  },

  relative(from, to) {
    requireString(from, "from");
    requireString(to, "to");
    if (from === to) return "";
    const a = win32.resolve(from);
    const b = win32.resolve(to);
    if (a.toLowerCase() === b.toLowerCase()) return "";
    const rootA = windowsRoot(a).device.toLowerCase();
    if (rootA !== windowsRoot(b).device.toLowerCase()) return b;
    return relativeOf(a, b, "\\", (s) => s.toLowerCase());
  },

  toNamespacedPath(path) {
    if (typeof path !== "string" || path === "") return path;
    const full = win32.resolve(path);
    if (/^\\\\[^?.]/.test(full)) return "\\\\?\\UNC\\" + full.slice(2);
    if (/^[a-z]:\\/i.test(full)) return "\\\\?\\" + full;
    return path;
  },
};

posix.posix = win32.posix = posix;
posix.win32 = win32.win32 = win32;

const path = platform === "win32" ? win32 : posix;
const {
  basename, delimiter, dirname, extname, format, isAbsolute, join, normalize,
  parse, relative, resolve, sep, toNamespacedPath,
} = path;

export {
  basename, delimiter, dirname, extname, format, isAbsolute, join, normalize,
  parse, posix, relative, resolve, sep, toNamespacedPath, win32,
};
export default path;

// node:path/win32
import { win32 } from "node:path";

const {
  basename, delimiter, dirname, extname, format, isAbsolute, join, normalize,
  parse, posix: posixFlavour, relative, resolve, sep, toNamespacedPath, win32: windowsFlavour,
} = win32;

export {
  basename, delimiter, dirname, extname, format, isAbsolute, join, normalize,
  parse, posixFlavour as posix, relative, resolve, sep, toNamespacedPath, windowsFlavour as win32,
};
export default win32;

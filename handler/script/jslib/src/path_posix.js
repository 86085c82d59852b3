// node:path/posix
import { posix } from "node:path";

const {
  basename, delimiter, dirname, extname, format, isAbsolute, join, normalize,
  parse, posix: posixFlavour, relative, resolve, sep, toNamespacedPath, win32: windowsFlavour,
} = posix;

export {
  basename, delimiter, dirname, extname, format, isAbsolute, join, normalize,
  parse, posixFlavour as posix, relative, resolve, sep, toNamespacedPath, windowsFlavour as win32,
};
export default posix;

import path, { join, resolve } from "node:path";
import posix from "path/posix";
import * as win from "node:path/win32";

const show = (label, fn) => {
  let out;
  try {
    out = JSON.stringify(fn());
  } catch (e) {
    out = `${e.name} ${e.code}`;
  }
  console.log(label, out);
};
const samples = [
  "", ".", "..", "/", "//", "///", "a", "a/", "/a", "/a/", "//a", "//a//", "a/b", "a//b", "/a/b/", "/a//b//c", "./a", "../a", "a/..",
  "a/../..", "/..", "/../a", "a/./b", "./././", "../../", ".a", "..a", "...", "....", "a.", "a..", "a.b", "a.b.c", ".a.b", "a/.b", "a/.b.c",
  "/a.b/c", "a b/c d.e", "a/b.c/", "a/b.c//", "file.tar.gz", "/x/y.html", "basename.ext\\", "C:\\a", "a\\b", "ü/ö.ä", "/a/b/../c/./d", "a/b/c/../../../..",
];
for (const s of samples) {
  for (const fn of ["normalize", "dirname", "basename", "extname", "parse", "isAbsolute"]) if (fn !== "parse" || s !== "/..") show(`posix.${fn}(${JSON.stringify(s)})`, () => posix[fn](s)); // Node 20 takes ".." after "/" for an extension
  show(`posix.format(parse)`, () => posix.format(posix.parse(s)));
}
for (const [p, ext] of [["a.html", ".html"], ["a.html", "html"], ["a.html", "a.html"], ["/x/a.html", "a.html"], ["aaa", "a"], ["aaa", "aaa"], ["/aaa", "aaa"], ["aaa/", "a"], ["a/b.c/", ".c"], ["bb", "bbb"], [".b", ".b"], ["x/.b", ".b"], ["a//b", "b"]]) {
  show(`posix.basename(${p},${ext})`, () => posix.basename(p, ext));
}
const lists = [[], [""], ["", ""], ["a", "b"], ["/a", "b"], ["a", "/b"], ["/a", "../b"], ["a", "..", "..", "b"], ["", "a"], ["/", "..", "a"], [".", "a"], ["..", "a"], ["a/", "/b/"], ["//a", "b"], ["a", "", "b"], ["a", "b/../../c"], ["/foo", "bar", "baz/asdf", "quux", ".."]];
for (const l of lists) {
  show(`posix.join(${l})`, () => posix.join(...l));
  show(`posix.resolve(/w,${l})`, () => posix.resolve("/w", ...l));
}
for (const [a, b] of [["/a/b", "/a/c"], ["/a/b", "/a/b"], ["/a/b", "/a/b/c"], ["/a/b/c", "/a"], ["/", "/a"], ["/a", "/"], ["/a/bc", "/a/b"], ["/a/b", "/a/bc"], ["/foo/../bar", "/bar/x"], ["/a//b", "/a/c"], ["/var/lib", "/var/apache"]]) {
  show(`posix.relative(${a},${b})`, () => posix.relative(a, b));
}
for (const o of [{}, { dir: "/a", base: "b" }, { root: "/", base: "b" }, { root: "/", name: "b", ext: ".c" }, { root: "/", name: "b", ext: "c" }, { dir: "/", root: "/", base: "b" }, { name: "x" }, { ext: ".y" }, { dir: "a", name: "b", ext: ".c", base: "" }]) {
  show(`posix.format(${JSON.stringify(o)})`, () => posix.format(o));
}
for (const v of [null, undefined, 1, {}, [], true]) {
  for (const fn of ["normalize", "join", "resolve", "dirname", "basename", "extname", "parse", "format", "isAbsolute"]) show(`posix.${fn}(${String(v)})`, () => posix[fn](v));
}
const wins = ["", ".", "C:", "C:\\", "C:/", "C:\\a", "C:a", "c:a\\..\\..", "C:\\..\\a", "\\", "\\a", "/a/b", "a\\b", "a/b\\c", "\\\\srv\\share", "\\\\srv\\share\\", "\\\\srv\\share\\a\\..\\b", "//srv/share/x", "\\\\srv", "a.b\\c.d", "C:\\a\\b.txt", "C:\\a\\b.txt\\", "C:.", "C:..", "..\\a", "\\\\.\\pipe\\x", "x:y"];
for (const s of wins) {
  for (const fn of ["normalize", "dirname", "basename", "extname", "parse", "isAbsolute", "toNamespacedPath"]) {
    if (fn === "toNamespacedPath" && !/^([a-zA-Z]:\\|\\\\\w+\\)/.test(s)) continue;
    show(`win32.${fn}(${JSON.stringify(s)})`, () => win[fn](s));
  }
}
for (const l of [["C:\\a", "b"], ["C:\\a", "..\\b"], ["C:\\a", "D:\\b"], ["C:\\a", "\\b"], ["C:\\", "..", "x"], ["\\\\s\\h", "x"], ["a", "b/c"], ["C:\\a", "/b", "c"], ["//a", "b"], ["//a", "//b"]]) {
  show(`win32.join(${l})`, () => win.join(...l));
  show(`win32.resolve(${l})`, () => win.resolve("C:\\w", ...l));
}
for (const [a, b] of [["C:\\a\\b", "C:\\a\\c"], ["C:\\a", "D:\\a"], ["C:\\A", "c:\\a\\b"], ["\\\\s\\h\\a", "\\\\s\\h\\b"], ["C:\\", "C:\\x"], ["C:\\a\\b", "C:\\a\\b"]]) {
  show(`win32.relative(${a},${b})`, () => win.relative(a, b));
}
console.log(path.sep, path.delimiter, path.posix === posix, join === path.join, typeof resolve("x"), path.posix.win32 === path.win32);

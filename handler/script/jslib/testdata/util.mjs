import util, { promisify, inspect, format, parseArgs, styleText, inherits, types, isDeepStrictEqual, stripVTControlCharacters, callbackify, deprecate } from "util";

const p = (...a) => console.log(...a.map((x) => (typeof x === "string" ? x : JSON.stringify(x))));
const fmt = (...a) => p(JSON.stringify(format(...a)));
fmt(); fmt("a"); fmt("%s", "x"); fmt("%s %s", "x"); fmt("%d", "42"); fmt("%d", 4.5); fmt("%i", 4.9); fmt("%i", "12px"); fmt("%f", "1.5e3"); fmt("%j", { a: [1] }); fmt("%o", [1]); fmt("%O", { a: { b: { c: {} } } });
fmt("%%"); fmt("%% %s", 1); fmt("%x", 1); fmt("a", "b", 3, { c: 4 }); fmt(1, 2, "3"); fmt("%s", null); fmt("%s", undefined); fmt("%s", 5n); fmt("%s", -0); fmt("%s", Symbol("q")); fmt("%d", 5n); fmt("%s", { a: { b: 1 } });
fmt("%s", [1, [2, [3]]]); fmt("%s", () => 1); fmt("%s", new (class Q { toString() { return "custom"; } })()); fmt("%s", new Date(0)); fmt("%c styled", "css"); fmt("%s", "a", "b"); fmt("%d", {}); fmt("%i", null); fmt("%s", Object.create(null)); fmt("100%", 1);
fmt("%j", (() => { const o = {}; o.o = o; return o; })()); fmt(null, undefined); fmt(Symbol("s")); fmt("%s", true); fmt("%d", ""); fmt({ a: "x" }, "y"); fmt("%s:%s:%s", "a", "b");

const ins = (v, o) => console.log(inspect(v, o));
class Foo { constructor() { this.x = 1; } get y() { return 2; } }
class Bar extends Foo {}
class Empty {}
const circ = { name: "c", list: [] }; circ.self = circ; circ.list.push(circ);
const values = [
  undefined, null, true, 0, -0, 1.5, NaN, Infinity, 10n, "str", "it's", `a"b'c`, "a\nb\t\\\u0001\x7f", "\ud800x", Symbol("s"), Symbol(), Symbol.iterator, [], {}, [1, 2, 3], [[]], [[[[1]]]], { a: 1 }, { a: { b: { c: { d: 1 } } } },
  { "a-b": 1, 2: 3, "valid_id": 4, "": 5 }, { [Symbol("k")]: 1, a: 2 }, [1, , 3], [, ,], new Array(5), Object.assign([1, 2], { x: 3 }), function named() {}, () => {}, async () => {}, function* gen() {}, async function* ag() {}, class {}, class Alone {}, class B extends Foo {}, Object.assign(function f() {}, { p: 1 }),
  new Foo(), new Bar(), new Empty(), Object.create(null), Object.create({}), Object.create(Foo.prototype), new Map(), new Map([["a", 1], [{ k: 1 }, [2]]]), new Set(), new Set([1, "b", [3]]), new WeakMap(), new WeakSet(), new Date(0), new Date(NaN), /re/gi, Object.assign(/x/, { p: 1 }),
  new Uint8Array([1, 2, 3]), new Float64Array(2), new ArrayBuffer(4), new DataView(new ArrayBuffer(2)), Buffer.from("hi"), new Number(3), new String("abc"), new Boolean(false), Object(1n), Object(Symbol("b")), circ, [circ],
  { get a() { return 1; }, set a(v) {}, get b() { return 2; }, set c(v) {} }, (function () { return arguments; })(1, 2), { f() {}, g: () => {}, h: class Within {} }, { u: undefined, n: null }, "x".repeat(200), ["x".repeat(80)], { long: "y".repeat(100), k: 1 },
  Array.from({ length: 7 }, (_, i) => i), Array.from({ length: 27 }, (_, i) => i * 3), Array.from({ length: 120 }, (_, i) => i), Array.from({ length: 10 }, (_, i) => "item" + i), ["apple", "banana", "cherry", "date", "elderberry", "fig", "grape", "honeydew"],
  { a: 1, b: "two", c: [3, 4], d: { e: 5 }, f: "some longer text here", g: "and more text to overflow", h: 99 }, { a: [1, 2, { b: 3 }], m: new Map([[1, { a: 1 }]]), s: new Set([[1]]) }, [{ a: 1, b: 2 }, { a: 3, b: 4 }], { a: { b: { c: [] } }, e: { f: { g: new Map() } } },
  { [Symbol.toStringTag]: "Tagged", x: 1 }, new (class Z { get [Symbol.toStringTag]() { return "ZZ"; } })(), Math, JSON, globalThis === undefined, new Proxy({ a: 1 }, {}), { __proto__: { inherited: 1 }, own: 2 }, { "__proto__x": 1, ["__proto__"]: 2 }, [undefined, null], [-0, 0], { "quoted'key": 1 }, { a: "line1\nline2" },
  [["a", 1], ["b", 2]], [1.5, 22.25, 333.125, 4, 5, 6, 7, 8, 9, 10], ["a", "bb", "ccc", "dddd", "eeeee", "ffffff", "ggggggg"], [[1, 2, [3, 4, [5, [6]]]], { a: { b: { c: { d: {} } } } }], new Set(Array.from({ length: 120 }, (_, i) => i)), { a: 1n, b: Symbol("x"), c: /r/ }, [true, false, null, undefined, "s", 1, 2n],
];
for (const v of values) ins(v);
ins({ a: { b: { c: { d: 1 } } } }, { depth: 0 }); ins({ a: { b: { c: { d: 1 } } } }, { depth: null }); ins({ a: 1, b: [2] }, { colors: true }); ins([1, "a", null, undefined, true, Symbol("x"), 1n, /r/, new Date(0)], { colors: true }); ins({ b: 1, a: 2 }, { sorted: true }); ins({ a: [1, 2, 3], b: { c: 1 } }, { compact: false }); ins({ a: [1, 2, 3], b: { c: 1 } }, { compact: true });
ins([1, 2, 3, 4, 5], { maxArrayLength: 2 }); ins("abcdefghij", { maxStringLength: 3 }); ins({ a: 1, b: 2, c: 3 }, { breakLength: 10 }); ins({ get a() { return { x: 1 }; }, get b() { return 2; } }, { getters: true }); ins(123456789.123, { numericSeparator: true }); ins([3, 1], { showHidden: true }); ins(new Map([["k", { d: { e: 1 } }]]), { depth: 0 }); ins([[1]], { depth: 0 });
ins({ [inspect.custom](d, o, i) { return `custom ${d} ${typeof o.stylize} ${i === inspect}`; } }); ins({ x: { [inspect.custom]() { return { replaced: true }; } } }); ins({ inner: { [inspect.custom]: () => "a\nb" } });
const noStack = (e) => { e.stack = `${e.name}: ${e.message}\n    at somewhere`; return e; };
ins(noStack(new Error("boom"))); ins({ e: noStack(new TypeError("inner")) }); ins(Object.assign(noStack(new Error("props")), { code: "E1", n: 2 })); ins(noStack(new Error("with", { cause: "why" }))); ins([noStack(new RangeError("r"))]);

const cb = (a, b, done) => setTimeout(() => (a < 0 ? done(new Error("neg")) : done(null, a + b)), 1);
p(await promisify(cb)(1, 2)); await promisify(cb)(-1, 0).catch((e) => p(e.message));
const custom = () => {}; custom[promisify.custom] = async () => "custom"; p(await promisify(custom)());
try { promisify(1); } catch (e) { p(e.code); }
await new Promise((r) => callbackify(async (x) => x * 2)(21, (err, v) => { p([err, v]); r(); }));
await new Promise((r) => callbackify(async () => { throw null; })((err) => { p(err.code); r(); }));
function Old() {} function Parent() {} Parent.prototype.hi = () => "hi"; inherits(Old, Parent); p(new Old().hi(), Old.super_ === Parent, new Old() instanceof Parent);
p(JSON.stringify(styleText("red", "x", { validateStream: false })), JSON.stringify(styleText(["bold", "underline"], "y", { validateStream: false }))); try { styleText("nope", "z"); } catch (e) { p(e.code); }
p(stripVTControlCharacters("\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007"));

const pa = (c) => { try { p(parseArgs(c)); } catch (e) { p(e.code, e.message); } };
const options = { verbose: { type: "boolean", short: "v" }, file: { type: "string", short: "f" }, many: { type: "string", multiple: true, short: "m" }, def: { type: "string", default: "d" } };
for (const args of [[], ["-v"], ["--verbose", "--file", "x"], ["--file=x=y"], ["-fx"], ["-f", "x"], ["-vf", "x"], ["-vfx"], ["-m", "1", "--many=2"], ["--file"], ["--verbose=1"], ["--nope"], ["-z"], ["--file", "-x"], ["-f", "--"], ["--def", "q"]]) pa({ args, options });
pa({ args: ["a", "-v", "--", "-f", "b"], options, allowPositionals: true }); pa({ args: ["a"], options }); pa({ args: ["--x", "--y=1", "z", "-ab"], strict: false }); pa({ args: ["-v", "p"], options, allowPositionals: true, tokens: true }); pa({ args: ["--nope"], options, allowPositionals: true });
pa({ args: [], options: { a: { type: "number" } } }); pa({ args: [], options: { a: { type: "string", short: "ab" } } });

const eq = (a, b) => p(isDeepStrictEqual(a, b));
eq({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }); eq([1], [1, 2]); eq(new Map([[{ a: 1 }, 1]]), new Map([[{ a: 1 }, 1]])); eq(new Set([[1]]), new Set([[1]])); eq(new Set([1]), new Set([2])); eq(NaN, NaN); eq(0, -0); eq(new Date(1), new Date(1)); eq(/a/g, /a/i); eq([, 1], [undefined, 1]); eq({ a: undefined }, {}); eq(new Foo(), new Bar()); eq(Buffer.from("a"), Buffer.from("a")); eq(new Error("x"), new Error("x")); eq(Object(1), Object(1)); eq("a", Object("a")); eq(circ, circ); eq([1, 2], { 0: 1, 1: 2, length: 2 }); eq(null, undefined); eq({ [Symbol.for("q")]: 1 }, { [Symbol.for("q")]: 1 });
const t = [["isDate", new Date()], ["isRegExp", /x/], ["isMap", new Map()], ["isSet", new Set()], ["isPromise", Promise.resolve()], ["isNativeError", new TypeError()], ["isTypedArray", new Uint8Array()], ["isUint8Array", Buffer.alloc(1)], ["isArrayBuffer", new ArrayBuffer(1)], ["isAnyArrayBuffer", new ArrayBuffer(1)], ["isBoxedPrimitive", Object(1)], ["isAsyncFunction", async () => {}], ["isGeneratorFunction", function* () {}], ["isGeneratorObject", (function* () {})()], ["isDataView", new DataView(new ArrayBuffer(1))], ["isWeakMap", new WeakMap()], ["isSymbolObject", Object(Symbol())], ["isArgumentsObject", (function () { return arguments; })()]];
for (const [fn, v] of t) p(fn, [types[fn](v), types[fn]({}), types[fn](null), types[fn](1)]);
p(util.isArray([]), util.types === types, typeof util.TextEncoder, util.toUSVString("a\ud800"), new util.MIMEType("text/HTML; charset=utf-8;q=\"a b\"").toString());
p(util.getSystemErrorName(-2), typeof util.debuglog("x"), deprecate((a) => a, "old")(3));

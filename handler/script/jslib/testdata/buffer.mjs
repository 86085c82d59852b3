import buffer, { Buffer as B } from "node:buffer";
import { StringDecoder } from "node:string_decoder";
import qs, { parse } from "node:querystring";

console.log(B === Buffer, buffer.Buffer === Buffer, Buffer.from("x") instanceof Uint8Array, Buffer.isBuffer(new Uint8Array(1)), Buffer.name, Buffer.from("a").constructor === Buffer);
const t = (fn) => { try { const v = fn(); console.log(v instanceof Uint8Array ? v : typeof v === "string" ? JSON.stringify(v) : v); } catch (e) { console.log(e.name, e.code, e.message); } };
const texts = ["", "hello", "héllo", "日本語", "🎉 ok", "\ud800", "a\0b", "ÿ\x80", "SGVsbG8=", "deadBEEF", "abc", "zz", "SGVsbG8", "a-_b", "fb+/"];
const encodings = ["utf8", "utf-8", "UTF8", "hex", "base64", "base64url", "latin1", "binary", "ascii", "utf16le", "ucs2", "UCS-2"];
for (const s of texts) for (const enc of encodings) {
  t(() => Buffer.from(s, enc)); t(() => Buffer.byteLength(s, enc)); t(() => Buffer.from(s, "utf8").toString(enc));
}
t(() => Buffer.from("x", "nope")); t(() => Buffer.from("x").toString("nope")); t(() => Buffer.from(5)); t(() => Buffer.from(null)); t(() => Buffer.from({})); t(() => Buffer.from([1, 256, -1, 3.7, "5"])); t(() => Buffer.from({ length: 2, 0: 7, 1: 8 })); t(() => Buffer.from(new String("s"))); t(() => Buffer.from({ type: "Buffer", data: [1, 2] })); t(() => Buffer.from(new Uint16Array([1, 257])));
const ab = new Uint8Array([1, 2, 3, 4]).buffer; const shared = Buffer.from(ab, 1, 2); shared[0] = 9; t(() => shared); t(() => new Uint8Array(ab)[1]); t(() => Buffer.from(ab, 5)); t(() => Buffer.from(ab, 1, 9));
t(() => Buffer.alloc(3)); t(() => Buffer.alloc(5, "ab")); t(() => Buffer.alloc(4, 7)); t(() => Buffer.alloc(-1)); t(() => Buffer.alloc("3")); t(() => Buffer.allocUnsafe(2).length); t(() => Buffer(3)); t(() => new Buffer("q")); t(() => Buffer.of(1, 2)); t(() => Buffer.alloc(4, "YQ==", "base64"));
t(() => Buffer.concat([Buffer.from("a"), new Uint8Array([98])])); t(() => Buffer.concat([Buffer.from("abc")], 2)); t(() => Buffer.concat([Buffer.from("abc")], 5)); t(() => Buffer.concat([])); t(() => Buffer.concat(["x"])); t(() => Buffer.concat("x"));
t(() => Buffer.compare(Buffer.from("a"), Buffer.from("b"))); t(() => Buffer.from("b").compare(Buffer.from("a"))); t(() => Buffer.from("abc").compare(Buffer.from("xbcx"), 1, 3, 1, 3)); t(() => Buffer.from("a").equals(Buffer.from("a"))); t(() => Buffer.from("a").equals("a"));
const b = Buffer.from("hello world");
t(() => b.slice(2, 5)); t(() => b.slice(-5)); t(() => b.subarray(6)); t(() => b.subarray(3, 1)); t(() => b.slice(0, -6).toString()); t(() => b.subarray(1).buffer === b.buffer); t(() => b.toString("utf8", 2, 4)); t(() => b.toString("utf8", -3, 100)); t(() => b.toString(undefined, 4)); t(() => JSON.stringify(b.subarray(0, 2)));
for (const args of [["o"], ["o", 5], ["o", -4], ["zz"], [""], ["", 3], [111], [Buffer.from("wor")], [new Uint8Array([108, 108])], ["68", 0, "hex"], ["o", "utf8"], ["o", 100], ["o", NaN]]) { t(() => b.indexOf(...args)); t(() => b.lastIndexOf(...args)); t(() => b.includes(...args)); }
t(() => b.indexOf({})); t(() => Buffer.from("abab", "utf16le").indexOf("b", 0, "utf16le")); t(() => b.indexOf(256 + 104));
t(() => Buffer.alloc(6).fill("abc")); t(() => Buffer.alloc(6).fill("é")); t(() => Buffer.alloc(4).fill(300)); t(() => Buffer.alloc(4).fill("a", 1, 3)); t(() => Buffer.alloc(3).fill("")); t(() => Buffer.alloc(3).fill("ff", "hex")); t(() => Buffer.alloc(3).fill("zz", "hex")); t(() => Buffer.alloc(3).fill(Buffer.from([1, 2]))); t(() => Buffer.alloc(2).fill(1, 5));
const w = Buffer.alloc(8); t(() => w.write("abc")); t(() => w.write("de", 3)); t(() => w.write("ffff", 6)); t(() => w.write("日本", 5)); t(() => w.write("ff00", 0, "hex")); t(() => w.write("xyz", 1, 2)); t(() => w.write("x", 9)); t(() => w); t(() => w.write("abc", 0, 1, "latin1"));
const cp = Buffer.alloc(4); t(() => b.copy(cp, 1, 6)); t(() => cp); t(() => b.copy(cp, 9)); t(() => b.copy(cp, 0, 50)); t(() => b.copy(cp, -1));
const n = Buffer.from([0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0]);
for (const k of ["UInt8", "Int8", "UInt16LE", "UInt16BE", "Int16LE", "Int16BE", "UInt32LE", "UInt32BE", "Int32LE", "Int32BE", "FloatLE", "FloatBE", "DoubleLE", "DoubleBE", "BigInt64LE", "BigInt64BE", "BigUInt64LE", "BigUInt64BE"]) { t(() => n[`read${k}`](0)); t(() => n[`read${k}`]()); t(() => n[`read${k}`](99)); t(() => n[`read${k}`]("0")); t(() => n[`read${k}`](1.5)); }
for (let s = 1; s <= 6; s++) for (const k of ["UIntLE", "UIntBE", "IntLE", "IntBE"]) t(() => n[`read${k}`](2, s));
t(() => n.readIntLE(0, 7)); t(() => n.readUint16LE(1));
const wr = (k, v, ...r) => { const x = Buffer.alloc(8); t(() => x[`write${k}`](v, ...r)); t(() => x); };
wr("UInt8", 255); wr("UInt8", 256); wr("Int8", -129); wr("Int8", -1); wr("UInt16LE", 0x1234, 2); wr("UInt16BE", 0x1234); wr("UInt16BE", 70000); wr("Int16LE", -2); wr("UInt32LE", 4294967295); wr("UInt32BE", 4294967296); wr("Int32BE", -5, 4); wr("Int32LE", 2 ** 31); wr("FloatLE", 1.5); wr("DoubleBE", Math.PI); wr("BigInt64LE", -3n); wr("BigUInt64BE", 2n ** 64n); wr("BigUInt64BE", 5n); wr("BigInt64BE", 5); wr("UIntLE", 0x123456, 0, 3); wr("IntBE", -70000, 1, 3); wr("UIntBE", 2 ** 48 - 1, 0, 6); wr("IntLE", 2 ** 40, 0, 5); wr("UInt8", 1, 8); wr("UInt16LE", "7");
t(() => Buffer.from("abcd").swap16()); t(() => Buffer.from("abc").swap16()); t(() => Buffer.from("abcd").swap32()); t(() => Buffer.from("abcdefgh").swap64());
t(() => [...Buffer.from("ab").entries()].join()); t(() => Buffer.from("abc").map((x) => x + 1)); t(() => Buffer.from("abc").filter((x) => x > 97)); t(() => Buffer.from("cab").sort()); t(() => Buffer.from("abc").reverse()); t(() => Buffer.alloc(60)); t(() => Buffer.isEncoding("hex") + "" + Buffer.isEncoding("x")); t(() => buffer.isUtf8(Buffer.from([0xff]))); t(() => buffer.isAscii(Buffer.from("a"))); t(() => buffer.transcode(Buffer.from("é"), "utf8", "latin1"));
t(() => buffer.constants.MAX_LENGTH > 1e9); t(() => Buffer.from("aé€🎉").toString("ascii").length); t(() => Buffer.from([0xc3, 0x28, 0xe2, 0x82, 0xf0, 0x9f, 0x98, 0xed, 0xa0, 0x80, 0xc0, 0xaf, 0xf4, 0x90, 0x80, 0x80]).toString());

// TextDecoder, TextEncoder, atob, btoa
const d = (bytes, label, o) => t(() => new TextDecoder(label, o).decode(new Uint8Array(bytes)));
d([0xef, 0xbb, 0xbf, 65]); d([0xef, 0xbb, 0xbf, 65], "utf-8", { ignoreBOM: true }); d([0xff, 65]); d([0xff], "utf-8", { fatal: true }); d([0xe2, 0x82]); d([65, 0], "utf-16le"); d([65, 0, 66], "utf-16le"); d([0xe9], "latin1"); d([1], "bogus"); d([0xf0, 0x9f, 0x8e, 0x89]);
const dec = new TextDecoder(); t(() => dec.decode(new Uint8Array([0xe2, 0x82]), { stream: true }) + "|" + dec.decode(new Uint8Array([0xac, 65]), { stream: true }) + "|" + dec.decode()); t(() => new TextDecoder("UTF8").encoding + new TextDecoder("ascii").encoding); t(() => new TextDecoder().decode()); t(() => new TextDecoder().decode(new ArrayBuffer(2)));
t(() => Buffer.from(new TextEncoder().encode("é🎉\ud800"))); t(() => { const u = new Uint8Array(5); return JSON.stringify([new TextEncoder().encodeInto("aé🎉", u), [...u]]); });
t(() => btoa("hello")); t(() => btoa("é")); t(() => btoa("日")); t(() => atob("aGVsbG8=")); t(() => atob(" aGVs bG8 ")); t(() => atob("a")); t(() => atob("!!!!")); t(() => atob(""));

const sd = (enc, ...chunks) => { const x = new StringDecoder(enc); t(() => JSON.stringify([...chunks.map((c) => x.write(Buffer.from(c))), x.end()])); };
sd("utf8", [0xe2], [0x82], [0xac], [65]); sd("utf8", [0xe2, 0x82]); sd("utf8", [0xf0, 0x9f], [0x8e, 0x89, 66]); sd("utf8", [0xff, 0xe2], [0x28]); sd("utf16le", [65], [0, 66], [0]); sd("utf16le", [0x3c, 0xd8], [0x89, 0xdf]); sd("base64", [1], [2], [3, 4]); sd("hex", [1], [2]); sd("latin1", [233]); sd("base64url", [251, 255]); t(() => new StringDecoder("bad")); t(() => new StringDecoder("UTF-8").encoding); t(() => new StringDecoder().write(5));

for (const s of ["a=1&b=2", "a=1&a=2&a=3", "a", "=x", "a=b=c", "&&x=1&", "a%20b=c+d", "%zz=%41%e9", "é=ü", "a[]=1", "__proto__=1"]) t(() => JSON.stringify(Object.entries(parse(s)))); t(() => JSON.stringify(qs.parse("a:1;b:2", ";", ":"))); t(() => JSON.stringify(qs.parse("a=1&b=2&c=3", null, null, { maxKeys: 2 })));
for (const o of [{ a: 1, b: [2, "x y"], c: true, d: null, e: undefined, f: NaN, g: 5n, h: {} }, {}, null, "str", { "é&=": "ü" }]) t(() => qs.stringify(o)); t(() => qs.stringify({ a: [1, 2] }, ";", ":")); t(() => qs.escape("a b&c'()*!~ü")); t(() => qs.unescape("%41%zz%E9")); t(() => qs.encode === qs.stringify);

import EventEmitter, { once, on, EventEmitter as Named, errorMonitor, getEventListeners, listenerCount } from "node:events";
import { inherits } from "node:util";

console.log(EventEmitter === Named, EventEmitter.EventEmitter === EventEmitter, EventEmitter.defaultMaxListeners);
const e = new EventEmitter();
const log = [];
const a = () => log.push("a"), b = (x, y) => log.push(`b${x}${y}`);
e.on("newListener", (n, l) => log.push(`new:${String(n)}:${l === a || l === b}`));
e.on("x", a); e.once("x", b); e.prependListener("x", () => log.push("first")); e.prependOnceListener("x", () => log.push("once-first"));
console.log(e.emit("x", 1, 2), e.emit("x", 3, 4), e.emit("none"), log.join());
e.removeAllListeners("newListener"); log.length = 0;
e.on("removeListener", (n) => log.push(`rm:${n}`)); e.off("x", a); e.removeListener("x", b); e.removeAllListeners("x"); console.log(log.join(), e.eventNames(), e.listenerCount("x"));
class My extends EventEmitter {} const m = new My(); let self; m.on("t", function () { self = this; }); m.emit("t"); console.log(self === m);
const during = new EventEmitter(); const order = []; during.on("e", () => { order.push(1); during.on("e", () => order.push("late")); during.removeListener("e", second); }); function second() { order.push(2); } during.on("e", second); during.emit("e"); during.emit("e"); console.log(order.join());
try { e.emit("error", new Error("lonely")); } catch (err) { console.log(err.message); }
try { e.emit("error", "text"); } catch (err) { console.log(err.code, err.message, err.context); }
try { e.emit("error", { a: 1 }); } catch (err) { console.log(err.message); }
try { e.emit("error"); } catch (err) { console.log(err.message); }
e.on(errorMonitor, (x) => console.log("monitor", x.message)); try { e.emit("error", new Error("m")); } catch (err) { console.log(err.message); }
try { e.on("x", 5); } catch (err) { console.log(err.name, err.code); } try { e.setMaxListeners(-1); } catch (err) { console.log(err.code); }
const o = new EventEmitter(); o.once("q", a); console.log(o.listeners("q")[0] === a, o.rawListeners("q")[0] === a, o.rawListeners("q")[0].listener === a, listenerCount(o, "q"), getEventListeners(o, "q").length, o.listenerCount("q", a));
o.off("q", a); console.log(o.listenerCount("q")); o.on(Symbol.for("s"), a); console.log(o.eventNames().map(String));
setTimeout(() => o.emit("later", 1, 2), 1); console.log(await once(o, "later"));
setTimeout(() => o.emit("error", new Error("bad")), 1); await once(o, "later").catch((err) => console.log("rejected", err.message));
setTimeout(() => o.emit("error", new Error("v")), 1); console.log((await once(o, "error"))[0].message);
const ac = new AbortController(); setTimeout(() => ac.abort(), 1); await once(o, "never", { signal: ac.signal }).catch((err) => console.log(err.name, err.code)); console.log(o.listenerCount("never"));
const src = new EventEmitter(); setTimeout(() => { src.emit("d", 1); src.emit("d", 2, 3); src.emit("d", 4); }, 1);
let n = 0; for await (const args of on(src, "d")) { console.log(args); if (++n === 3) break; } console.log(src.listenerCount("d"), src.listenerCount("error"));
setTimeout(() => { src.emit("d", "x"); src.emit("error", new Error("stop")); }, 1); try { for await (const args of on(src, "d")) console.log(args); } catch (err) { console.log("iter", err.message); }
setTimeout(() => { src.emit("d", "y"); src.emit("end"); }, 1); for await (const args of on(src, "d", { close: ["end"] })) console.log(args);
const ac2 = new AbortController(); setTimeout(() => ac2.abort(), 1); try { for await (const x of on(src, "d", { signal: ac2.signal })) console.log(x); } catch (err) { console.log(err.name); }
function Legacy() { EventEmitter.call(this); } inherits(Legacy, EventEmitter); const l = new Legacy(); l.on("k", (v) => console.log("legacy", v)); l.emit("k", 1);
const two = [new EventEmitter(), new EventEmitter()]; two[0].on("z", () => console.log("z0")); two[1].emit("z"); two[0].emit("z");
const t = new EventTarget(); setTimeout(() => t.dispatchEvent(new Event("go")), 1); console.log((await once(t, "go"))[0].type);

const et = new EventTarget(); const seen = [];
et.addEventListener("a", (ev) => seen.push(["fn", ev.type, ev.target === et])); et.addEventListener("a", { handleEvent(ev) { seen.push(["obj", this !== undefined]); } }); et.addEventListener("a", () => seen.push("once"), { once: true });
const dup = () => seen.push("dup"); et.addEventListener("a", dup); et.addEventListener("a", dup); et.dispatchEvent(new Event("a")); et.dispatchEvent(new Event("a")); et.removeEventListener("a", dup); console.log(JSON.stringify(seen));
et.addEventListener("c", (ev) => ev.preventDefault()); console.log(et.dispatchEvent(new Event("c", { cancelable: true })), et.dispatchEvent(new Event("c")));
et.addEventListener("s", (ev) => { console.log("s1"); ev.stopImmediatePropagation(); }); et.addEventListener("s", () => console.log("s2")); et.dispatchEvent(new Event("s"));
console.log(new CustomEvent("x", { detail: 5 }).detail, new Event("y", { bubbles: true }).bubbles);
const c1 = new AbortController(); const got = []; c1.signal.addEventListener("abort", (ev) => got.push(ev.type)); c1.signal.onabort = () => got.push("on"); c1.abort("why"); c1.abort("again"); console.log(got.join(), c1.signal.aborted, c1.signal.reason);
const c2 = new AbortController(); c2.abort(); console.log(c2.signal.reason.name, c2.signal.reason.code, c2.signal.reason instanceof DOMException); try { c2.signal.throwIfAborted(); } catch (err) { console.log(err.name); }
console.log(AbortSignal.abort(7).reason); const ts = AbortSignal.timeout(2); setTimeout(() => {}, 30); await once(ts, "abort"); console.log(ts.aborted, ts.reason.name, ts.reason.code);
const c3 = new AbortController(), any = AbortSignal.any([c3.signal, new AbortController().signal]); c3.abort("r"); console.log(any.aborted, any.reason, AbortSignal.any([AbortSignal.abort(1)]).reason, AbortSignal.any([]).aborted); try { new AbortSignal(); } catch (err) { console.log(err.name); }

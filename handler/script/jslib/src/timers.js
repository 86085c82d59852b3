// node:timers
const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = globalThis;
const promises = globalThis[Symbol.for("hookline.host")].builtin("timers/promises");

export { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, promises };

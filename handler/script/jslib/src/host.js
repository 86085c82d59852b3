// The bridge to the Go host, captured by globals.js before any other code ran.
//   sync(op, args)                      the value, or throws
//   call(op, args, {signal, onEvent})   a promise of the value
//   builtin(name)                       the exports of a built-in module
const { sync, call, builtin } = globalThis[Symbol.for("hookline.host")];
export { sync, call, builtin };

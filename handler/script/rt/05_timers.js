// Timers: Go keeps the time.
function timer(fn, ms, args, repeat) {
  const id = ++lastId;
  const wait = ms > 0 ? +ms : 0;
  timers[id] = { fn, args, wait, repeat };
  host("timer", id, wait);
  return id;
}
function clear(id) {
  if (timers[id]) {
    delete timers[id];
    host("untimer", +id);
  }
}
assign(globalThis, {
  setTimeout: (fn, ms, ...args) => timer(fn, ms, args, false),
  setInterval: (fn, ms, ...args) => timer(fn, ms, args, true),
  clearTimeout: clear,
  clearInterval: clear,
  queueMicrotask: (fn) => void then(resolved(), () => inCallback("in a microtask", fn)),
});

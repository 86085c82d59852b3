// node:timers/promises
import { nodeError } from "internal:errors";

const aborted = (signal) => {
  const err = nodeError(Error, "ABORT_ERR", "The operation was aborted", { cause: signal.reason });
  err.name = "AbortError";
  return err;
};

function waitFor(start, stop, value, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(signal));
    const onAbort = () => {
      stop(timer);
      reject(aborted(signal));
    };
    const timer = start(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve(value);
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

const setTimeout = (ms, value, { signal } = {}) =>
  waitFor((fn) => globalThis.setTimeout(fn, ms), globalThis.clearTimeout, value, signal);
const setImmediate = (value, { signal } = {}) =>
  waitFor((fn) => globalThis.setImmediate(fn), globalThis.clearImmediate, value, signal);

async function* setInterval(ms, value, options = {}) {
  while (true) {
    await setTimeout(ms, undefined, options);
    yield value;
  }
}

const scheduler = { wait: (ms, options) => setTimeout(ms, undefined, options), yield: () => setImmediate() };

export { setTimeout, setImmediate, setInterval, scheduler };

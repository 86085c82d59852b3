// node:perf_hooks
import { sync } from "hookline:host";

const now = () => Number(BigInt(sync("node.process.hrtime"))) / 1e6;
const origin = now();
const timeOrigin = Date.now();

class PerformanceEntry {
  constructor(name, entryType, startTime, duration, detail = null) {
    Object.assign(this, { name, entryType, startTime, duration, detail });
  }
  toJSON() { return { ...this }; }
}

let entries = [];
const elapsed = () => now() - origin;
const startOf = (mark, fallback) =>
  mark === undefined ? fallback : typeof mark === "number" ? mark : entries.findLast((e) => e.name === mark && e.entryType === "mark")?.startTime ?? missing(mark);
function missing(mark) {
  throw new globalThis.DOMException(`The "${mark}" performance mark has not been set`, "SyntaxError");
}
const add = (entry) => {
  entries = [...entries.slice(-999), entry];
  return entry;
};

const performance = {
  timeOrigin,
  now: elapsed,
  mark: (name, { startTime = elapsed(), detail = null } = {}) => add(new PerformanceEntry(`${name}`, "mark", startTime, 0, detail)),
  measure(name, from, to) {
    const options = typeof from === "object" && from !== null ? from : { start: from, end: to };
    const start = startOf(options.start, 0);
    const end = startOf(options.end, elapsed());
    return add(new PerformanceEntry(`${name}`, "measure", start, end - start, options.detail ?? null));
  },
  getEntries: () => [...entries],
  getEntriesByName: (name, type) => entries.filter((e) => e.name === name && (type === undefined || e.entryType === type)),
  getEntriesByType: (type) => entries.filter((e) => e.entryType === type),
  clearMarks: (name) => void (entries = entries.filter((e) => e.entryType !== "mark" || (name !== undefined && e.name !== name))),
  clearMeasures: (name) => void (entries = entries.filter((e) => e.entryType !== "measure" || (name !== undefined && e.name !== name))),
  timerify: (fn) => fn,
  eventLoopUtilization: () => ({ idle: 0, active: 0, utilization: 0 }),
  toJSON: () => ({ timeOrigin }),
};

const constants = {};

export { performance, PerformanceEntry, constants };

// Schemas of objects and records.
import { standIn } from "./stand_in.js";
import { Schema, bad, join, words, wrongType } from "./zod_schema.js";
const { missing } = standIn("zod");

const unknownKeys = (keys, say) => ({
  code: "unrecognized_keys", keys, path: [], message: say ?? `Unrecognized key${keys.length > 1 ? "s" : ""}: ${keys.map((k) => `"${k}"`).join(", ")}`,
});
const plain = (v) => typeof v === "object" && v !== null && !Array.isArray(v);
const absent = bad({ code: "invalid_type", expected: "nonoptional", path: [], message: "Invalid input: expected nonoptional, received undefined" });

// fields runs each key's schema over its value, and returns the runs by key.
function fields(shape, v, out) {
  const runs = [];
  for (const [key, schema] of Object.entries(shape)) {
    const there = key in v, run = schema._run(v[key]);
    if (run.issues.length) {
      if (there || !schema._optional.out) runs.push([key, run]);
    } else if (!there && !schema._optional.in) runs.push([key, absent]);
    else if (there || run.value !== undefined) out[key] = run.value;
  }
  return runs;
}

// ObjectSchema has the mode "strip", "strict" or "loose": what it does with keys
// that it does not know.
export class ObjectSchema extends Schema {
  _with(shape, mode = this._mode) { return object(shape, this._say, mode); }
  _keys(mask, test) {
    for (const key of Object.keys(mask)) if (!Object.hasOwn(this.shape, key)) throw new Error(`Unrecognized key: "${key}"`);
    return this._with(Object.fromEntries(Object.entries(this.shape).filter(([k]) => !!mask[k] === test)));
  }
  extend(shape) { return this._with({ ...this.shape, ...shape }); }
  pick(mask) { return this._keys(mask, true); }
  omit(mask) { return this._keys(mask, false); }
  partial(mask) {
    if (mask) this.pick(mask);
    return this._with(Object.fromEntries(Object.entries(this.shape).map(([k, s]) => [k, !mask || mask[k] ? s.optional() : s])));
  }
  strict() { return this._with(this.shape, "strict"); }
  strip() { return this._with(this.shape, "strip"); }
  loose() { return this._with(this.shape, "loose"); }
  passthrough() { return this.loose(); }
}

export function object(shape = {}, params, mode = "strip") {
  const say = words("object", params);
  for (const [key, s] of Object.entries(shape)) if (!(s instanceof Schema)) throw new TypeError(`the field "${key}" of an object is not a schema of this zod`);
  return new ObjectSchema("object()", {
    shape: { ...shape }, _mode: mode, say,
    json: (io) => {
      const properties = Object.fromEntries(Object.entries(shape).map(([k, s]) => [k, s._schema(io)]));
      const required = Object.keys(shape).filter((k) => !shape[k]._optional[io === "input" ? "in" : "out"]);
      const additional = mode === "loose" ? {} : mode === "strict" || io === "output" ? false : undefined;
      return {
        type: "object", properties, ...(required.length && { required }),
        ...(additional !== undefined && { additionalProperties: additional }),
      };
    },
    take(v) {
      if (!plain(v)) return wrongType("object", v, say);
      const value = {}, run = join(fields(shape, v, value), value);
      const more = Object.keys(v).filter((k) => !Object.hasOwn(shape, k));
      if (mode === "loose") for (const key of more) if (key !== "__proto__") value[key] = v[key];
      if (mode !== "strict" || !more.length) return run;
      return { value, issues: [...run.issues, unknownKeys(more, say)], aborted: run.aborted };
    },
  });
}

export function record(key, element, params) {
  const say = words("record", params);
  if (!(element instanceof Schema)) missing("record() of one schema");
  if (key._what !== "string()") missing(`record() with ${key._what} as its key`);
  return new Schema("record()", {
    json: (io) => ({ type: "object", propertyNames: key._schema(io), additionalProperties: element._schema(io) }),
    take(v) {
      if (!plain(v)) return wrongType("record", v, say);
      const value = {}, runs = [];
      for (const name of Object.keys(v)) {
        if (name === "__proto__") continue;
        const k = key._run(name), run = element._run(v[name]);
        if (k.issues.length) runs.push([name, bad({ code: "invalid_key", origin: "record", issues: k.issues, path: [], message: say ?? "Invalid key in record" })]);
        else {
          runs.push([name, run]);
          value[k.value] = run.value;
        }
      }
      return join(runs, value);
    },
  });
}

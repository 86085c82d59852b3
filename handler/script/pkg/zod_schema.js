// The kinds of schemas: what each takes, and the JSON schema that it is. Issues
// have the words that zod 4 has for them.
import { standIn } from "./stand_in.js";
const { guard, missing, only } = standIn("zod");

// A run of a schema over a value: what came of it, and the issues. One that is
// aborted has a value that is no use to anyone.
export const good = (value) => ({ value, issues: [], aborted: false });
export const bad = (...issues) => ({ value: undefined, issues, aborted: true });
const below = (key, issues) => issues.map((i) => ({ ...i, path: [key, ...i.path] }));

export function received(v) {
  if (v === null) return "null";
  if (Array.isArray(v)) return "array";
  if (typeof v === "number" && !Number.isFinite(v)) return String(v);
  return typeof v === "object" ? Object.getPrototypeOf(v)?.constructor?.name?.replace(/^Object$/, "object") ?? "object" : typeof v;
}
export const wrongType = (expected, v, say) => bad({
  expected, code: "invalid_type", ...(typeof v === "number" && !Number.isFinite(v) && { received: String(v) }), path: [],
  message: say ?? `Invalid input: expected ${expected}, received ${received(v)}`,
});

// words reads what a module wants said instead of an issue's own message.
export function words(what, params) {
  if (params === undefined || typeof params === "string") return params;
  const { error, message } = only(what, params, "error", "message");
  if (error !== undefined && message !== undefined) throw new Error("Cannot specify both `message` and `error` params");
  if (typeof (error ?? message ?? "") !== "string") missing(`a function as the message of ${what}`);
  return error ?? message;
}

// either is the JSON schema of one of several: bare types are put together.
const either = (list) => (list.every((s) => typeof s.type === "string" && Object.keys(s).length === 1)
  ? { type: list.map((s) => s.type) } : { anyOf: list });

export class ZodError extends Error {
  constructor(issues) {
    super(JSON.stringify(issues, null, 2));
    this.name = "ZodError";
    Object.defineProperty(this, "issues", { value: issues });
  }
  toString() { return this.message; }
}

export class Schema {
  // _what names the kind in messages. take turns a value into a run, json gives the
  // JSON schema of the input or the output. optional tells that a key with this
  // schema may be absent: "in" from what is parsed, "out" from what comes of it.
  constructor(_what, { take: _take, json: _json, optional: _optional = {}, say: _say, ...own }) {
    Object.defineProperties(this, Object.fromEntries(Object.entries({
      _what, _take, _json, _optional, _say, _info: {}, _checks: [], ...own,
    }).map(([k, value]) => [k, { value, writable: true }])));
  }
  _but(change) {
    return Object.defineProperties(Object.create(Object.getPrototypeOf(this)), {
      ...Object.getOwnPropertyDescriptors(this),
      ...Object.fromEntries(Object.entries(change).map(([k, value]) => [k, { value, writable: true }])),
    });
  }
  _run(value) {
    const run = this._take(value);
    if (run.aborted || run.issues.length) return run;
    const issues = [...run.issues];
    for (const { test, change, issue, last } of this._checks) {
      if (change) run.value = change(run.value);
      else if (!test(run.value)) {
        issues.push(issue(run.value));
        if (last?.(run.value)) return { ...run, issues, aborted: true };
      }
    }
    return { ...run, issues };
  }
  _schema(io) {
    const out = this._json(io), patterns = [];
    for (const { json = {} } of this._checks) {
      for (const [key, v] of Object.entries(json)) {
        if (key === "pattern") patterns.push({ pattern: v });
        else if (typeof v !== "number" || !(key in out)) out[key] = v;
        else out[key] = /min/i.test(key) ? Math.max(out[key], v) : Math.min(out[key], v);
      }
    }
    if (out.minimum <= out.exclusiveMinimum) delete out.minimum;
    else if ("minimum" in out) delete out.exclusiveMinimum;
    if (out.maximum >= out.exclusiveMaximum) delete out.maximum;
    else if ("maximum" in out) delete out.exclusiveMaximum;
    return { ...out, ...(patterns.length > 1 ? { allOf: patterns } : patterns[0]), ...this._info };
  }
  _check(c) { return this._but({ _checks: [...this._checks, c] }); }

  safeParse(value, params) {
    only("safeParse", params);
    const { value: data, issues } = this._run(value);
    return issues.length ? { success: false, error: new ZodError(issues) } : { success: true, data };
  }
  parse(value, params) {
    only("parse", params);
    const r = this.safeParse(value);
    if (!r.success) throw r.error;
    return r.data;
  }
  get "~standard"() {
    return {
      version: 1, vendor: "zod",
      validate: (v) => {
        const r = this.safeParse(v);
        return r.success ? { value: r.data } : { issues: r.error.issues };
      },
    };
  }
  toJSONSchema(params) {
    const { io = "output" } = only("toJSONSchema", params, "io");
    return { $schema: "https://json-schema.org/draft/2020-12/schema", ...this._schema(io) };
  }
  get description() { return this._info.description; }
  describe(description) { return this._but({ _info: { ...this._info, description } }); }
  meta(data) {
    if (!data) return this._info;
    only("meta", data, "title", "description", "examples", "deprecated");
    return this._but({ _info: { ...this._info, ...data } });
  }
  brand() { return this; }
  optional() {
    return new Schema("optional()", {
      optional: { in: true, out: true }, json: (io) => this._schema(io),
      take: (v) => {
        if (v !== undefined) return this._run(v);
        const run = this._optional.in ? this._run(v) : good(v);
        return run.issues.length ? good(undefined) : run;
      },
    });
  }
  nullable() {
    return new Schema("nullable()", {
      optional: this._optional, take: (v) => (v === null ? good(v) : this._run(v)),
      json: (io) => either([this._schema(io), { type: "null" }]),
    });
  }
  nullish() { return this.nullable().optional(); }
  default(value) {
    const made = () => (typeof value === "function" ? value() : structuredClone(value));
    return new Schema("default()", {
      optional: { in: true }, take: (v) => {
        if (v === undefined) return good(made());
        const run = this._run(v);
        return run.value === undefined && !run.issues.length ? good(made()) : run;
      },
      json: (io) => ({ default: made(), ...this._schema(io) }),
    });
  }
  array() { return array(this); }
  or(other) { return union([this, other]); }
}
guard((s) => (Object.hasOwn(s, "_what") ? `z.${s._what}` : "a schema"), Schema.prototype);

// sized adds the checks of a length, for strings and arrays.
const sized = (origin, unit, json, size) => {
  const check = (end) => (n, say, exact) => ({
    json: { [json[end]]: n },
    test: (v) => (end === "minimum" ? size(v) >= n : size(v) <= n),
    issue: () => ({
      origin, code: end === "minimum" ? "too_small" : "too_big", [end]: n, inclusive: true, ...(exact && { exact }), path: [],
      message: say ?? `Too ${end === "minimum" ? "small" : "big"}: expected ${origin} to have ${exact ? "exactly " : end === "minimum" ? ">=" : "<="}${n} ${unit}`,
    }),
  });
  const low = check("minimum"), high = check("maximum");
  return {
    min(n, params) { return this._check(low(n, words("min", params) ?? this._say)); },
    max(n, params) { return this._check(high(n, words("max", params) ?? this._say)); },
    length(n, params) {
      const say = words("length", params) ?? this._say;
      return this._check(low(n, say, true))._check(high(n, say, true));
    },
    nonempty(params) { return this.min(1, params); },
  };
};

const literally = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

export class StringSchema extends Schema {
  _format(name, more, test, wording, params, json) {
    const say = words(name, params) ?? this._say;
    return this._check({
      test, json, issue: () => ({
        origin: "string", code: "invalid_format", format: name, ...more, path: [], message: say ?? `Invalid string: ${wording}`,
      }),
    });
  }
  regex(re, params) {
    const test = (v) => {
      re.lastIndex = 0;
      return re.test(v);
    };
    return this._format("regex", { pattern: String(re) }, test, `must match pattern ${re}`, params, { pattern: re.source });
  }
  startsWith(prefix, params) {
    return this._format("starts_with", { prefix }, (v) => v.startsWith(prefix), `must start with "${prefix}"`, params,
      { format: "starts_with", pattern: `^${literally(prefix)}.*` });
  }
  endsWith(suffix, params) {
    return this._format("ends_with", { suffix }, (v) => v.endsWith(suffix), `must end with "${suffix}"`, params,
      { format: "ends_with", pattern: `.*${literally(suffix)}$` });
  }
  includes(part, params) {
    return this._format("includes", { includes: part }, (v) => v.includes(part), `must include "${part}"`, params,
      { format: "includes", pattern: literally(part) });
  }
  trim() { return this._check({ change: (v) => v.trim() }); }
  toLowerCase() { return this._check({ change: (v) => v.toLowerCase() }); }
  toUpperCase() { return this._check({ change: (v) => v.toUpperCase() }); }
}
Object.assign(StringSchema.prototype, sized("string", "characters", { minimum: "minLength", maximum: "maxLength" }, (v) => [...v].length));

const whole = (n) => Math.abs(n) <= Number.MAX_SAFE_INTEGER;
export class NumberSchema extends Schema {
  _bound(name, end, n, inclusive, params) {
    const small = end === "minimum", say = words(name, params) ?? this._say;
    return this._check({
      json: { [inclusive ? end : small ? "exclusiveMinimum" : "exclusiveMaximum"]: n },
      test: (v) => (small ? v > n : v < n) || (inclusive && v === n),
      issue: () => ({
        origin: "number", code: small ? "too_small" : "too_big", [end]: n, inclusive, path: [],
        message: say ?? `Too ${small ? "small" : "big"}: expected number to be ${small ? ">" : "<"}${inclusive ? "=" : ""}${n}`,
      }),
    });
  }
  gte(n, params) { return this._bound("gte", "minimum", n, true, params); }
  lte(n, params) { return this._bound("lte", "maximum", n, true, params); }
  gt(n, params) { return this._bound("gt", "minimum", n, false, params); }
  lt(n, params) { return this._bound("lt", "maximum", n, false, params); }
  min(n, params) { return this.gte(n, params); }
  max(n, params) { return this.lte(n, params); }
  positive(params) { return this.gt(0, params); }
  negative(params) { return this.lt(0, params); }
  nonnegative(params) { return this.gte(0, params); }
  nonpositive(params) { return this.lte(0, params); }
  finite() { return this; }
  int(params) {
    const say = words("int", params) ?? this._say, limit = Number.MAX_SAFE_INTEGER;
    return this._check({
      last: (v) => !Number.isInteger(v), json: { type: "integer", minimum: -limit, maximum: limit },
      test: (v) => Number.isInteger(v) && whole(v),
      issue: (v) => {
        if (!Number.isInteger(v)) {
          return { expected: "int", format: "safeint", code: "invalid_type", path: [], message: say ?? "Invalid input: expected int, received number" };
        }
        const end = v < 0 ? "minimum" : "maximum", n = v < 0 ? -limit : limit;
        return {
          code: v < 0 ? "too_small" : "too_big", [end]: n, note: "Integers must be within the safe integer range.", origin: "int",
          inclusive: true, path: [], message: say ?? `Too ${v < 0 ? "small: expected int to be >" : "big: expected int to be <"}=${n}`,
        };
      },
    });
  }
}

export class ArraySchema extends Schema {}
Object.assign(ArraySchema.prototype, sized("array", "items", { minimum: "minItems", maximum: "maxItems" }, (v) => v.length));

// array looks at the length first: one that is wrong spares the items.
export function array(element, params) {
  const say = words("array", params);
  return new ArraySchema("array()", {
    say, element, json: (io) => ({ type: "array", items: element._schema(io) }),
    take(v) {
      if (!Array.isArray(v)) return wrongType("array", v, say);
      const short = this._checks.filter((c) => !c.test(v));
      if (short.length) return { value: v, issues: short.map((c) => c.issue(v)), aborted: false };
      const runs = v.map((item) => element._run(item));
      return join(runs.map((r, n) => [n, r]), runs.map((r) => r.value));
    },
  });
}

// join makes one run of those of a value's parts.
export const join = (parts, value) => ({
  value, issues: parts.flatMap(([key, r]) => below(key, r.issues)), aborted: parts.some(([, r]) => r.aborted),
});

export function union(options, params) {
  const say = words("union", params);
  return new Schema("union()", {
    options, optional: { in: options.some((o) => o._optional.in), out: options.some((o) => o._optional.out) },
    json: (io) => either(options.map((o) => o._schema(io))),
    take(v) {
      const runs = options.map((o) => o._run(v));
      const right = runs.find((r) => !r.issues.length);
      if (right || runs.length === 1) return right ?? runs[0];
      const near = runs.filter((r) => !r.aborted);
      if (near.length === 1) return near[0];
      return bad({ code: "invalid_union", errors: runs.map((r) => r.issues), path: [], message: say ?? "Invalid input" });
    },
  });
}

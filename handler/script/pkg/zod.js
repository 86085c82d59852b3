// Schemas in zod's manner, which become JSON schemas. Only what tool parameters
// are made of: types, constraints, optional and default values, descriptions.
import { Check, Errors, Default } from "./typebox_value.js";

class Schema {
  constructor(json, optional = false) {
    this.json = json;
    this.isOptionalKey = optional;
  }
  #with(more, optional = this.isOptionalKey) { return new this.constructor({ ...this.json, ...more }, optional); }
  describe(description) { return this.#with({ description }); }
  meta(data) { return this.#with(data); }
  optional() { return this.#with({}, true); }
  nullish() { return this.nullable().optional(); }
  nullable() { return new Schema({ anyOf: [this.json, { type: "null" }] }, this.isOptionalKey); }
  default(value) { return this.#with({ default: value }, true); }
  catch() { return this; }
  readonly() { return this; }
  brand() { return this; }
  refine() { return this; }
  transform() { return this; }
  or(other) { return z.union([this, other]); }
  and(other) { return new Schema({ allOf: [this.json, other.json] }); }
  array() { return z.array(this); }
  toJSON() { return this.json; }
  safeParse(value) {
    const data = Default(this.json, value);
    if (data === undefined && this.isOptionalKey) return { success: true, data };
    if (Check(this.json, data)) return { success: true, data };
    const issues = [...Errors(this.json, data)].map((e) => ({ path: e.path.split("/").slice(1), message: e.message }));
    return { success: false, error: Object.assign(new Error(issues.map((i) => `${i.path.join(".") || "value"}: ${i.message}`).join("; ")), { issues }) };
  }
  parse(value) {
    const r = this.safeParse(value);
    if (!r.success) throw r.error;
    return r.data;
  }
  // Constraints, by what the type has.
  #limit(low, high) {
    const names = { string: ["minLength", "maxLength"], array: ["minItems", "maxItems"] }[this.json.type] ?? ["minimum", "maximum"];
    return this.#with({ ...(low !== undefined && { [names[0]]: low }), ...(high !== undefined && { [names[1]]: high }) });
  }
  min(n) { return this.#limit(n); }
  max(n) { return this.#limit(undefined, n); }
  gte(n) { return this.#limit(n); }
  lte(n) { return this.#limit(undefined, n); }
  gt(n) { return this.#with({ exclusiveMinimum: n }); }
  lt(n) { return this.#with({ exclusiveMaximum: n }); }
  positive() { return this.gt(0); }
  nonnegative() { return this.gte(0); }
  negative() { return this.lt(0); }
  length(n) { return this.#limit(n, n); }
  nonempty() { return this.#limit(1); }
  int() { return this.#with({ type: "integer" }); }
  finite() { return this; }
  multipleOf(n) { return this.#with({ multipleOf: n }); }
  regex(re) { return this.#with({ pattern: re.source }); }
  startsWith(s) { return this.#with({ pattern: "^" + s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") }); }
  trim() { return this; }
  email() { return this.#with({ format: "email" }); }
  url() { return this.#with({ format: "uri" }); }
  uuid() { return this.#with({ format: "uuid" }); }
}

class ObjectSchema extends Schema {
  static of(shape) {
    const required = Object.keys(shape).filter((k) => !shape[k].isOptionalKey);
    const properties = Object.fromEntries(Object.entries(shape).map(([k, s]) => [k, s.json]));
    const out = new ObjectSchema({ type: "object", properties, ...(required.length && { required }) });
    out.fields = shape;
    return out;
  }
  get shape() {
    return this.fields ?? Object.fromEntries(Object.entries(this.json.properties)
      .map(([k, json]) => [k, new Schema(json, !this.json.required?.includes(k))]));
  }
  extend(shape) { return ObjectSchema.of({ ...this.shape, ...shape }); }
  merge(other) { return this.extend(other.shape); }
  pick(mask) { return ObjectSchema.of(Object.fromEntries(Object.entries(this.shape).filter(([k]) => mask[k]))); }
  omit(mask) { return ObjectSchema.of(Object.fromEntries(Object.entries(this.shape).filter(([k]) => !mask[k]))); }
  partial() { return ObjectSchema.of(Object.fromEntries(Object.entries(this.shape).map(([k, s]) => [k, s.optional()]))); }
  strict() { return new ObjectSchema({ ...this.json, additionalProperties: false }); }
  passthrough() { return this; }
  loose() { return this; }
}

const of = (json) => () => new Schema(json);
export const z = {
  string: of({ type: "string" }), number: of({ type: "number" }), int: of({ type: "integer" }), boolean: of({ type: "boolean" }),
  any: of({}), unknown: of({}), null: of({ type: "null" }), never: of({ not: {} }), undefined: of({ type: "undefined" }),
  literal: (value) => new Schema({ const: value }),
  enum: (values) => new Schema({ type: "string", enum: Array.isArray(values) ? [...values] : Object.values(values) }),
  nativeEnum: (values) => new Schema({ enum: Object.values(values).filter((v) => typeof values[v] !== "number") }),
  array: (item) => new Schema({ type: "array", items: item.json }),
  tuple: (items) => new Schema({ type: "array", items: items.map((i) => i.json), minItems: items.length, maxItems: items.length }),
  object: (shape = {}) => ObjectSchema.of(shape),
  strictObject: (shape = {}) => ObjectSchema.of(shape).strict(),
  record: (key, value) => new Schema({ type: "object", additionalProperties: (value ?? key).json }),
  union: (list) => new Schema({ anyOf: list.map((s) => s.json) }),
  discriminatedUnion: (_, list) => new Schema({ anyOf: list.map((s) => s.json) }),
  optional: (s) => s.optional(), nullable: (s) => s.nullable(),
  toJSONSchema: (s) => s.json,
};
z.z = z;
z.coerce = z;
export const {
  string, number, int, boolean, any, unknown, literal, array, tuple, object, record, union, optional, nullable, toJSONSchema,
} = z;
export default z;

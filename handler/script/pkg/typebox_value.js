// Checks values against JSON schemas.
const typeOf = (v) => (v === null ? "null" : Array.isArray(v) ? "array" : typeof v);
const fits = (type, v) => ({
  integer: () => Number.isInteger(v), number: () => typeof v === "number" && !Number.isNaN(v),
  void: () => v === undefined, undefined: () => v === undefined, Date: () => v instanceof Date,
  Uint8Array: () => v instanceof Uint8Array,
}[type]?.() ?? typeOf(v) === type);

const equal = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

function* errors(schema, value, path = "") {
  const error = (message) => ({ path, message, value, schema });
  if (schema === true || !schema) return;
  if (schema.anyOf && !schema.anyOf.some((s) => Check(s, value))) return yield error("Expected union value");
  if (schema.oneOf && schema.oneOf.filter((s) => Check(s, value)).length !== 1) return yield error("Expected exactly one match");
  for (const s of schema.allOf ?? []) yield* errors(s, value, path);
  if (schema.not && Check(schema.not, value)) yield error("Unexpected value");
  if ("const" in schema && !equal(schema.const, value)) return yield error(`Expected ${JSON.stringify(schema.const)}`);
  if (schema.enum && !schema.enum.some((v) => equal(v, value))) return yield error(`Expected one of ${JSON.stringify(schema.enum)}`);
  const types = schema.type === undefined ? [] : [].concat(schema.type);
  if (types.length && !types.some((t) => fits(t, value))) return yield error(`Expected ${types.join(" or ")}`);
  if (typeof value === "string") {
    if (value.length < (schema.minLength ?? 0)) yield error(`Expected string length greater or equal to ${schema.minLength}`);
    if (value.length > (schema.maxLength ?? Infinity)) yield error(`Expected string length less or equal to ${schema.maxLength}`);
    if (schema.pattern && !new RegExp(schema.pattern, "u").test(value)) yield error(`Expected string to match '${schema.pattern}'`);
  } else if (typeof value === "number") {
    if (value < (schema.minimum ?? -Infinity)) yield error(`Expected number to be greater or equal to ${schema.minimum}`);
    if (value > (schema.maximum ?? Infinity)) yield error(`Expected number to be less or equal to ${schema.maximum}`);
    if (value <= (schema.exclusiveMinimum ?? -Infinity)) yield error(`Expected number to be greater than ${schema.exclusiveMinimum}`);
    if (value >= (schema.exclusiveMaximum ?? Infinity)) yield error(`Expected number to be less than ${schema.exclusiveMaximum}`);
    if (schema.multipleOf && value % schema.multipleOf !== 0) yield error(`Expected number to be a multiple of ${schema.multipleOf}`);
  } else if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0)) yield error(`Expected array length to be greater or equal to ${schema.minItems}`);
    if (value.length > (schema.maxItems ?? Infinity)) yield error(`Expected array length to be less or equal to ${schema.maxItems}`);
    const one = (n) => (Array.isArray(schema.items) ? schema.items[n] : schema.items);
    for (let n = 0; n < value.length; n++) yield* errors(one(n), value[n], `${path}/${n}`);
    if (schema.uniqueItems && new Set(value.map((v) => JSON.stringify(v))).size < value.length) yield error("Expected array elements to be unique");
  } else if (typeOf(value) === "object") {
    const known = schema.properties ?? {}, patterns = Object.entries(schema.patternProperties ?? {});
    for (const key of schema.required ?? []) if (!Object.hasOwn(value, key)) yield { path: `${path}/${key}`, message: "Expected required property", value: undefined, schema };
    for (const key of Object.keys(value)) {
      const at = `${path}/${key}`;
      if (Object.hasOwn(known, key)) { yield* errors(known[key], value[key], at); continue; }
      const pattern = patterns.find(([p]) => new RegExp(p).test(key));
      if (pattern) yield* errors(pattern[1], value[key], at);
      else if (schema.additionalProperties === false) yield { path: at, message: "Unexpected property", value: value[key], schema };
      else if (typeof schema.additionalProperties === "object") yield* errors(schema.additionalProperties, value[key], at);
    }
  }
}

export function Check(schema, value) { return errors(schema, value).next().done; }
export function Errors(schema, value) {
  const list = [...errors(schema, value)];
  return { First: () => list[0], [Symbol.iterator]: () => list[Symbol.iterator]() };
}

// Default fills in the defaults of missing properties.
export function Default(schema, value) {
  if (value === undefined && schema && "default" in schema) value = structuredClone(schema.default);
  if (schema?.properties && typeOf(value) === "object") {
    for (const key of Object.keys(schema.properties)) {
      const filled = Default(schema.properties[key], value[key]);
      if (filled !== undefined) value[key] = filled;
    }
  }
  return value;
}
const conversions = {
  number: (v) => (typeof v === "string" && v.trim() !== "" && !isNaN(v) ? Number(v) : v),
  boolean: (v) => (v === "true" ? true : v === "false" ? false : v),
  string: (v) => (typeof v === "number" || typeof v === "boolean" ? String(v) : v),
};
conversions.integer = conversions.number;
export function Convert(schema, value) {
  if (schema?.properties && typeOf(value) === "object") {
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, Convert(schema.properties[k], v)]));
  }
  if (schema?.items && Array.isArray(value) && !Array.isArray(schema.items)) return value.map((v) => Convert(schema.items, v));
  return conversions[schema?.type]?.(value) ?? value;
}
export function Clean(schema, value) {
  if (!schema?.properties || typeOf(value) !== "object") return value;
  return Object.fromEntries(Object.entries(value).filter(([k]) => k in schema.properties).map(([k, v]) => [k, Clean(schema.properties[k], v)]));
}
function assertValid(schema, value) {
  const first = errors(schema, value).next().value;
  if (first) throw Object.assign(new Error(`${first.path || "/"}: ${first.message}`), { error: first });
}
export function Parse(schema, value) {
  const v = Convert(schema, Default(schema, structuredClone(value)));
  assertValid(schema, v);
  return v;
}
export { assertValid as Assert };
export const Decode = Parse;
export const Equal = equal;
export const Clone = (v) => structuredClone(v);
export const Value = { Check, Errors, Default, Convert, Clean, Parse, Decode, Assert: assertValid, Equal, Clone };
export const Compile = (schema) => ({ Check: (v) => Check(schema, v), Errors: (v) => Errors(schema, v), Parse: (v) => Parse(schema, v), Code: () => "" });
export const TypeCompiler = { Compile };
export default Value;

// Checks values against JSON schemas: what the host does with the arguments of
// tools, and what the stand-ins for typebox do with theirs.
const typeOf = (v) => (v === null ? "null" : Array.isArray(v) ? "array" : typeof v);
const fits = (type, v) => ({
  integer: () => Number.isInteger(v), number: () => typeof v === "number" && !Number.isNaN(v),
  void: () => v === undefined, undefined: () => v === undefined, Date: () => v instanceof Date,
  Uint8Array: () => v instanceof Uint8Array,
}[type]?.() ?? typeOf(v) === type);

// canonical is a value as text, whatever the order of its keys.
const canonical = (value) => JSON.stringify(value, (_, v) => (typeOf(v) === "object" ? Object.fromEntries(Object.entries(v).sort()) : v));
const equal = (a, b) => a === b || canonical(a) === canonical(b);
const quoted = (v) => (typeof v === "string" ? `'${v}'` : JSON.stringify(v));
const points = (text) => [...text].length, units = (text) => text.length;
const under = (path, key) => `${path}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;

// errors yields what is wrong with a value, in the words of typebox 0.34. rules
// says how a string's length is counted and with which flags patterns are read.
export const unitRules = { length: units, flags: "" }, pointRules = { length: points, flags: "u" };

export function* errors(schema, value, rules = pointRules, path = "") {
  const error = (message) => ({ path, message, value });
  if (schema === true || !schema) return;
  const fine = (s) => errors(s, value, rules).next().done;
  if (schema.anyOf && !schema.anyOf.some(fine)) return yield error("Expected union value");
  if (schema.oneOf && schema.oneOf.filter(fine).length !== 1) return yield error("Expected exactly one match");
  for (const s of schema.allOf ?? []) yield* errors(s, value, rules, path);
  if (schema.allOf && !schema.allOf.every(fine)) yield error("Expected all values to match");
  if (schema.not && fine(schema.not)) return yield error(Object.keys(schema.not).length ? "Value should not match" : "Never");
  if ("const" in schema && !equal(schema.const, value)) return yield error(`Expected ${quoted(schema.const)}`);
  if (schema.enum && !schema.enum.some((v) => equal(v, value))) return yield error(`Expected one of ${JSON.stringify(schema.enum)}`);
  const types = schema.type === undefined ? [] : [].concat(schema.type);
  if (types.length && !types.some((t) => fits(t, value))) return yield error(`Expected ${types.join(" or ")}`);
  if (typeof value === "string") yield* textErrors(schema, value, rules, error);
  else if (typeof value === "number") yield* numberErrors(schema, value, error);
  else if (Array.isArray(value)) yield* listErrors(schema, value, rules, path, error);
  else if (typeOf(value) === "object") yield* objectErrors(schema, value, rules, path);
}

function* textErrors(schema, value, { length, flags }, error) {
  if (length(value) > schema.maxLength) yield error(`Expected string length less or equal to ${schema.maxLength}`);
  if (length(value) < schema.minLength) yield error(`Expected string length greater or equal to ${schema.minLength}`);
  if (schema.pattern && !new RegExp(schema.pattern, flags).test(value)) yield error(`Expected string to match '${schema.pattern}'`);
}

function* numberErrors(schema, value, error) {
  const what = `Expected ${schema.type === "integer" ? "integer" : "number"} to be`;
  if (value >= schema.exclusiveMaximum) yield error(`${what} less than ${schema.exclusiveMaximum}`);
  if (value <= schema.exclusiveMinimum) yield error(`${what} greater than ${schema.exclusiveMinimum}`);
  if (value > schema.maximum) yield error(`${what} less or equal to ${schema.maximum}`);
  if (value < schema.minimum) yield error(`${what} greater or equal to ${schema.minimum}`);
  if (schema.multipleOf && value % schema.multipleOf !== 0) yield error(`${what} a multiple of ${schema.multipleOf}`);
}

function* listErrors(schema, value, rules, path, error) {
  const tuple = Array.isArray(schema.items) || schema.additionalItems === false || schema.maxItems === 0;
  const n = Array.isArray(schema.items) ? schema.items.length : 0;
  if (tuple && value.length !== n && schema.minItems === n) return yield error(`Expected tuple to have ${n} elements`);
  if (value.length < schema.minItems) yield error(`Expected array length to be greater or equal to ${schema.minItems}`);
  if (value.length > schema.maxItems) yield error(`Expected array length to be less or equal to ${schema.maxItems}`);
  for (const [n, v] of value.entries()) {
    yield* errors(Array.isArray(schema.items) ? schema.items[n] : schema.items, v, rules, under(path, n));
  }
  if (schema.uniqueItems && new Set(value.map(canonical)).size < value.length) yield error("Expected array elements to be unique");
}

function* objectErrors(schema, value, rules, path) {
  const known = schema.properties ?? {}, patterns = Object.entries(schema.patternProperties ?? {}), required = schema.required ?? [];
  for (const key of required) if (!(key in value)) yield { path: under(path, key), message: "Expected required property", value: undefined };
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(known, key)) continue;
    const at = under(path, key), pattern = patterns.find(([p]) => new RegExp(p).test(key));
    if (pattern) yield* errors(pattern[1], value[key], rules, at);
    else if (schema.additionalProperties === false) yield { path: at, message: "Unexpected property", value: value[key] };
    else if (typeof schema.additionalProperties === "object") yield* errors(schema.additionalProperties, value[key], rules, at);
  }
  for (const key of Object.keys(known)) {
    if (required.includes(key) || value[key] !== undefined) yield* errors(known[key], value[key], rules, under(path, key));
  }
}

// problems lists what is wrong with a value for a person: a line for each place.
export function problems(schema, value) {
  const lines = new Map();
  for (const e of errors(schema, value)) if (!lines.has(e.path)) lines.set(e.path, `\n  - ${e.path.slice(1) || "root"}: ${e.message}`);
  return [...lines.values()].join("");
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

// What the two stand-ins for typebox have in common: JSON schemas by the names of
// a builder. A schema is a plain object, so that it crosses to the model
// unchanged; what is optional is marked with a symbol, which does not.
import { standIn } from "./stand_in.js";

export const kind = Symbol.for("TypeBox.Kind"), optional = Symbol.for("TypeBox.Optional");
const hide = (out, key, value, enumerable) => Object.defineProperty(out, key, { value, enumerable, configurable: true, writable: true });
const isOptional = (schema) => schema?.[optional] === "Optional";

// builder returns Type of the package with a name: that of 0.34 (legacy), or of
// 1.x, which differ in some schemas.
export function builder(name, legacy) {
  const { guard, missing } = standIn(name);
  const make = (of, schema, options) => hide({ ...schema, ...options }, kind, of, legacy);
  const mark = (schema, on) => {
    const { [optional]: _, ...rest } = schema, out = make(schema[kind], rest);
    return on ? hide(out, optional, "Optional", legacy) : out;
  };
  const object = (properties, options) => {
    const required = Object.keys(properties).filter((key) => !isOptional(properties[key]));
    return make("Object", { type: "object", ...(required.length && { required }), properties }, options);
  };
  // from makes an object of another one's properties.
  const from = (what, schema, change, options) => {
    if (schema?.[kind] !== "Object") missing(`${what} of a schema that is not an Object`);
    const { type, required, properties, ...rest } = schema;
    return object(Object.fromEntries(Object.entries(properties).map(change).filter(Boolean)), { ...(legacy && rest), ...options });
  };
  const keysOf = (what, keys) => {
    const list = Array.isArray(keys) || (legacy && typeof keys === "string") ? [].concat(keys) : [].concat(keys?.anyOf?.map((k) => k.const) ?? keys?.const);
    return list.every((k) => typeof k === "string") ? list : missing(`${what} by these keys`);
  };
  const basic = (of, schema) => (o) => make(of, schema, o);
  const literal = (value, o) => make("Literal", { const: value, type: typeof value }, o);
  const union = (list, o) => {
    if (list.length >= (legacy ? 2 : 0)) return make("Union", { anyOf: list }, o);
    return list.length ? make(list[0][kind], list[0], o) : Type.Never(o);
  };
  const record = (key, value, o) => {
    const patterns = legacy ? { String: "^(.*)$", Number: "^(0|[1-9][0-9]*)$" } : { String: "^.*$", Number: "^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?$" };
    if (key?.[kind] === "String") return make("Record", { type: "object", patternProperties: { [key.pattern ?? patterns.String]: value } }, o);
    if (key?.[kind] === "Number") return make("Record", { type: "object", patternProperties: { [patterns.Number]: value } }, o);
    return object(Object.fromEntries(keysOf("Type.Record", key).map((k) => [k, value])), o);
  };
  const tuple = (items, o) => {
    const n = items.length;
    if (!legacy) return make("Tuple", { type: "array", additionalItems: false, items, minItems: n }, o);
    return make("Tuple", { type: "array", ...(n && { items, additionalItems: false }), minItems: n, maxItems: n }, o);
  };
  const intersect = (list, o) => {
    if (legacy && list.length < 2) return union(list, o);
    return make("Intersect", { ...(legacy && list.every((s) => s.type === "object") && { type: "object" }), allOf: list }, o);
  };
  const enumeration = (values, o) => {
    if (legacy && Array.isArray(values)) missing("Type.Enum of an array");
    const list = Array.isArray(values) ? values : Object.keys(values).filter((k) => isNaN(k)).map((k) => values[k]);
    return legacy ? union([...new Set(list)].map((v) => literal(v)), o) : make("Enum", { enum: list }, o);
  };

  const Type = {
    Any: basic("Any", {}), Unknown: basic("Unknown", {}), Never: basic("Never", { not: {} }), Null: basic("Null", { type: "null" }),
    Undefined: basic("Undefined", { type: "undefined" }), Void: basic("Void", { type: "void" }), String: basic("String", { type: "string" }),
    Number: basic("Number", { type: "number" }), Integer: basic("Integer", { type: "integer" }), Boolean: basic("Boolean", { type: "boolean" }),
    Literal: literal, Array: (items, o) => make("Array", { type: "array", items }, o), Tuple: tuple, Object: object, Record: record,
    Union: union, Intersect: intersect, Enum: enumeration, Unsafe: (schema) => make("Unsafe", schema),
    Optional: (schema) => mark(schema, true),
    Required: (schema, o) => from("Type.Required", schema, ([k, s]) => [k, mark(s, false)], o),
    Partial: (schema, o) => from("Type.Partial", schema, ([k, s]) => [k, mark(s, true)], o),
    Pick: (schema, keys, o) => {
      const list = keysOf("Type.Pick", keys);
      return from("Type.Pick", schema, ([k, s]) => list.includes(k) && [k, s], o);
    },
    Omit: (schema, keys, o) => {
      const list = keysOf("Type.Omit", keys);
      return from("Type.Omit", schema, ([k, s]) => !list.includes(k) && [k, s], o);
    },
    KeyOf: (schema, o) => {
      if (schema?.[kind] !== "Object") missing("Type.KeyOf of a schema that is not an Object");
      const list = Object.keys(schema.properties).map((k) => literal(k));
      return list.length ? list.length === 1 ? make("Literal", list[0], o) : union(list, o) : Type.Never(o);
    },
  };
  // An argument that a function does not take is refused.
  for (const [key, fn] of Object.entries(Type)) {
    Type[key] = (...args) => (args.length > fn.length ? missing(`argument ${fn.length + 1} of Type.${key}`) : fn(...args));
  }
  return guard("Type", Type);
}

// What a checked schema may have: the rest would be passed over.
const keywords = new Set([
  "type", "title", "description", "default", "examples", "deprecated", "readOnly", "$id", "$schema", "minLength", "maxLength", "pattern", "minimum",
  "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "items", "additionalItems", "minItems", "maxItems",
  "uniqueItems", "properties", "required", "patternProperties", "additionalProperties", "anyOf", "allOf", "not", "const", "enum",
]);

// checkable throws for a schema that has what is not checked here.
export function checkable(name, schema, legacy) {
  const { missing } = standIn(name), seen = new Set();
  const look = (s) => {
    if (typeof s !== "object" || s === null || seen.has(s)) return;
    seen.add(s);
    if (legacy && (s[kind] === undefined || s[kind] === "Unsafe")) throw new Error("Unknown type");
    for (const key of Object.keys(s)) if (!keywords.has(key)) missing(`a check of "${key}"`);
    if (s.multipleOf !== undefined && !Number.isInteger(s.multipleOf)) missing('a check of "multipleOf" with a fraction');
    [s.items, s.not === undefined || s[kind] === "Never" ? undefined : s.not, s.additionalProperties].flat().forEach(look);
    [...(s.anyOf ?? []), ...(s.allOf ?? []), ...Object.values(s.properties ?? {}), ...Object.values(s.patternProperties ?? {})].forEach(look);
  };
  look(schema);
}

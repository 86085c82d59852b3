// JSON schemas by the names of a schema builder. A schema is a plain object, so
// that it crosses to the model unchanged; what is optional is marked with a
// symbol, which does not.
const kind = Symbol.for("TypeBox.Kind");
const optional = Symbol.for("TypeBox.Optional");

function make(name, schema, options) {
  const out = { ...schema, ...options };
  Object.defineProperty(out, kind, { value: name, enumerable: false });
  return out;
}
function mark(schema, on) {
  const out = make(schema[kind], schema);
  if (on) Object.defineProperty(out, optional, { value: "Optional", enumerable: false });
  return out;
}
const isOptional = (schema) => schema?.[optional] === "Optional";

function object(properties = {}, options) {
  const required = Object.keys(properties).filter((key) => !isOptional(properties[key]));
  return make("Object", { type: "object", ...(required.length ? { required } : {}), properties }, options);
}
const remake = (schema, properties, options) => {
  const { type, required, properties: _, ...rest } = schema;
  return object(properties, { ...rest, ...options });
};
const keysOf = (keys) => (Array.isArray(keys) ? keys : keys?.anyOf ? keys.anyOf.map((k) => k.const) : [keys?.const ?? keys]);
const filter = (schema, keep) => Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([key]) => keep(key)));
const mapProperties = (schema, fn) => Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, s]) => [key, fn(s)]));

export const Type = {
  Any: (o) => make("Any", {}, o),
  Unknown: (o) => make("Unknown", {}, o),
  Never: (o) => make("Never", { not: {} }, o),
  Null: (o) => make("Null", { type: "null" }, o),
  Undefined: (o) => make("Undefined", { type: "undefined" }, o),
  Void: (o) => make("Void", { type: "void" }, o),
  String: (o) => make("String", { type: "string" }, o),
  Number: (o) => make("Number", { type: "number" }, o),
  Integer: (o) => make("Integer", { type: "integer" }, o),
  Boolean: (o) => make("Boolean", { type: "boolean" }, o),
  Literal: (value, o) => make("Literal", { const: value, type: typeof value }, o),
  Array: (items, o) => make("Array", { type: "array", items }, o),
  Tuple: (items, o) => make("Tuple", { type: "array", items, additionalItems: false, minItems: items.length, maxItems: items.length }, o),
  Object: object,
  Record: (key, value, o) => make("Record", {
    type: "object",
    ...(key?.anyOf ? { properties: Object.fromEntries(keysOf(key).map((k) => [k, value])) }
      : { patternProperties: { [key?.pattern ?? (key?.type === "string" ? "^(.*)$" : "^(0|[1-9][0-9]*)$")]: value } }),
  }, o),
  Union: (anyOf, o) => (anyOf.length === 1 ? make(anyOf[0][kind], anyOf[0], o) : make("Union", { anyOf }, o)),
  Intersect: (allOf, o) => make("Intersect", { type: "object", allOf }, o),
  Composite: (objects, o) => object(Object.assign({}, ...objects.map((s) => s.properties)), o),
  Enum: (values, o) => make("Union", {
    anyOf: (Array.isArray(values) ? values : Object.keys(values).filter((k) => isNaN(Number(k))).map((k) => values[k]))
      .map((v) => Type.Literal(v)),
  }, o),
  RegExp: (pattern, o) => make("RegExp", { type: "string", pattern: pattern.source ?? pattern }, o),
  TemplateLiteral: (pattern, o) => make("TemplateLiteral", { type: "string", ...(typeof pattern === "string" ? { pattern } : {}) }, o),
  Not: (not, o) => make("Not", { not }, o),
  Const: (value, o) => make("Literal", { const: value }, o),
  Unsafe: (schema = {}) => make(schema[kind] ?? "Unsafe", schema),
  Ref: (ref, o) => make("Ref", { $ref: typeof ref === "string" ? ref : ref.$id }, o),
  This: (o) => make("This", { $ref: "#" }, o),
  Recursive: (fn, o = {}) => fn(make("This", { $ref: o.$id ?? "#" })),
  Date: (o) => make("Date", { type: "Date" }, o),
  Uint8Array: (o) => make("Uint8Array", { type: "Uint8Array" }, o),
  Optional: (schema) => mark(schema, true),
  Required: (schema, o) => remake(schema, mapProperties(schema, (s) => mark(s, false)), o),
  Partial: (schema, o) => remake(schema, mapProperties(schema, (s) => mark(s, true)), o),
  Readonly: (schema) => schema,
  Pick: (schema, keys, o) => remake(schema, filter(schema, (k) => keysOf(keys).includes(k)), o),
  Omit: (schema, keys, o) => remake(schema, filter(schema, (k) => !keysOf(keys).includes(k)), o),
  KeyOf: (schema, o) => Type.Union(Object.keys(schema.properties ?? {}).map((k) => Type.Literal(k)), o),
  Index: (schema, key) => schema.properties?.[keysOf(key)[0]],
};

export const Kind = kind;
export const OptionalKind = optional;
export const FormatRegistry = new Map();
export const TypeGuard = { IsSchema: (v) => typeof v === "object" && v !== null, IsOptional: isOptional };
export default Type;

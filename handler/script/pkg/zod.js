// Schemas in zod's manner: what tool parameters and small checks are made of.
import { standIn } from "./stand_in.js";
import { NumberSchema, Schema, StringSchema, ZodError, array, bad, good, union, words, wrongType } from "./zod_schema.js";
import { object, record } from "./zod_object.js";
import * as self from "./zod.js";
const { guard, missing } = standIn("zod");

const basic = (name, expected, fits, json = { type: expected }, Kind = Schema) => (params) => {
  const say = words(name, params);
  return new Kind(`${name}()`, { say, json: () => ({ ...json }), take: (v) => (fits(v) ? good(v) : wrongType(expected, v, say)) });
};
const string = basic("string", "string", (v) => typeof v === "string", undefined, StringSchema);
const number = basic("number", "number", Number.isFinite, undefined, NumberSchema);
const int = (params) => number(params).int();
const boolean = basic("boolean", "boolean", (v) => typeof v === "boolean");
const nothing = basic("null", "null", (v) => v === null);
const any = basic("any", "any", () => true, {});
const unknown = basic("unknown", "unknown", () => true, {});

// oneOf is a schema of certain values.
function oneOf(what, values, params, own) {
  const say = words(what, params), shown = values.map((v) => (typeof v === "string" ? `"${v}"` : String(v))).join("|");
  const types = [...new Set(values.map((v) => (v === null ? "null" : typeof v)))];
  return new Schema(`${what}()`, {
    ...own, say,
    json: () => ({
      ...(types.length === 1 && { type: types[0] }), ...(what === "literal" && values.length === 1 ? { const: values[0] } : { enum: values }),
    }),
    take: (v) => (values.includes(v) ? good(v) : bad({
      code: "invalid_value", values, path: [],
      message: say ?? (values.length === 1 ? `Invalid input: expected ${shown}` : `Invalid option: expected one of ${shown}`),
    })),
  });
}
function literal(value, params) {
  const values = Array.isArray(value) ? value : [value];
  if (!values.every((v) => v === null || ["string", "number", "boolean"].includes(typeof v))) missing("literal() of a value that is not JSON");
  return oneOf("literal", values, params, { value });
}
function enumeration(values, params) {
  const list = Array.isArray(values) ? values : Object.values(values);
  if (!list.every((v) => typeof v === "string")) missing("enum() of values that are not strings");
  return oneOf("enum", list, params, { options: list, enum: Array.isArray(values) ? Object.fromEntries(list.map((v) => [v, v])) : values });
}

const toJSONSchema = (s, params) => s.toJSONSchema(params);
const optional = (s) => s.optional(), nullable = (s) => s.nullable(), nullish = (s) => s.nullish();
const strictObject = (shape, params) => object(shape, params, "strict");
const looseObject = (shape, params) => object(shape, params, "loose");

export {
  ZodError, any, array, boolean, enumeration as enum, int, literal, looseObject, nothing as null, nullable, nullish, number, object,
  optional, record, self as default, self as z, strictObject, string, toJSONSchema, union, unknown,
};
guard("z", self);

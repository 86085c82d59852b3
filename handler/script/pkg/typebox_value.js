// The stand-in for @sinclair/typebox/value and /compiler, 0.34.
import { standIn } from "./stand_in.js";
import { errors, unitRules } from "./schema_check.js";
import { checkable } from "./typebox_types.js";
import * as self from "./typebox_value.js";
const name = "@sinclair/typebox";
const { guard, missing } = standIn(name);

function list(schema, value, more) {
  if (more.length) missing("references in a check");
  checkable(name, schema, true);
  return [...errors(schema, value, unitRules)];
}
export const Check = (schema, value, ...more) => list(schema, value, more).length === 0;
export function Errors(schema, value, ...more) {
  const found = list(schema, value, more).map((e) => guard("an error", e));
  return guard("Errors()", { First: () => found[0], [Symbol.iterator]: () => found[Symbol.iterator]() });
}
export function Assert(schema, value, ...more) {
  const first = list(schema, value, more)[0];
  if (first) throw new Error(first.message);
}
export const Value = guard("Value", { Check, Errors, Assert });
export const TypeCompiler = guard("TypeCompiler", {
  Compile(schema, ...more) {
    list(schema, undefined, more);
    return guard("a compiled type", { Check: (v) => Check(schema, v), Errors: (v) => Errors(schema, v) });
  },
});
guard("", self);

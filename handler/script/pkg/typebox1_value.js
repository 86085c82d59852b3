// The stand-in for typebox/value and typebox/compile, 1.x.
import { standIn } from "./stand_in.js";
import { errors } from "./schema_check.js";
import { checkable } from "./typebox_types.js";
import * as self from "./typebox1_value.js";
const { guard, missing } = standIn("typebox");

export function Check(schema, value, ...more) {
  if (more.length) missing("a context of a check");
  checkable("typebox", schema, false);
  return errors(schema, value).next().done;
}
export const Value = guard("Value", { Check });
export function Compile(schema, ...more) {
  Check(schema, undefined, ...more);
  return guard("a compiled type", { Check: (v) => Check(schema, v) });
}
guard("", self);

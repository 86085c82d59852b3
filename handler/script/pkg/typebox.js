// The stand-in for @sinclair/typebox 0.34.
import { standIn } from "./stand_in.js";
import { builder, kind, optional } from "./typebox_types.js";
import * as self from "./typebox.js";

export const Type = builder("@sinclair/typebox", true);
export { kind as Kind, optional as OptionalKind };
standIn("@sinclair/typebox").guard("", self);

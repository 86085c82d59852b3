// The stand-in for typebox 1.x.
import { standIn } from "./stand_in.js";
import { builder } from "./typebox_types.js";
import * as self from "./typebox1.js";

export const Type = builder("typebox", false);
export default Type;
standIn("typebox").guard("", self);

// What the parts of the terminal UI package guard themselves with.
import { standIn } from "./stand_in.js";
export const { guard, lacks, missing } = standIn("@mariozechner/pi-tui",
  'put "// hookline: runtime=node" at the top of the module and run "npm install @mariozechner/pi-tui" beside it');

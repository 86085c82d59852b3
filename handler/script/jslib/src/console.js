// node:console
import { console, Console } from "internal:console";

const { log, info, debug, warn, error, trace, dir, table, assert, count, countReset, group, groupEnd, time, timeLog, timeEnd } = console;

export { Console, log, info, debug, warn, error, trace, dir, table, assert, count, countReset, group, groupEnd, time, timeLog, timeEnd };
export default console;

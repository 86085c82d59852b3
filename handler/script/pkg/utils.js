// Small helpers of one family's utility package.
import { rt } from "hookline:rt";

const level = (name) => (message, data) => void rt.ask("log", name, String(message), data ?? null);
export const logger = { debug: level("debug"), info: level("info"), warn: level("warn"), error: level("error") };
export const isEnoent = (e) => e?.code === "ENOENT";
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export { parseFrontmatter, stripFrontmatter } from "./frontmatter.js";

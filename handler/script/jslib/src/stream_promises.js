// node:stream/promises
import { promises } from "node:stream";

const { pipeline, finished } = promises;

export { pipeline, finished };

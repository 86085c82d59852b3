// node:readline/promises
import { promises } from "node:readline";

const { Interface, createInterface } = promises;

export { Interface, createInterface };

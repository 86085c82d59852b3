// node:readline over a stream: line events, async iteration, question.
import { EventEmitter } from "node:events";
import { StringDecoder } from "node:string_decoder";
import { nodeError } from "internal:errors";

class Interface extends EventEmitter {
  #rest = "";
  #decoder = new StringDecoder("utf8");
  #questions = [];
  #prompt;
  closed = false;

  constructor(input, output) {
    super();
    const options = input?.input ? input : { input, output };
    this.input = options.input;
    this.output = options.output;
    this.terminal = Boolean(options.terminal ?? false);
    this.#prompt = options.prompt ?? "> ";
    this.line = "";
    const { signal } = options;
    this.input.on("data", (chunk) => this.#feed(typeof chunk === "string" ? chunk : this.#decoder.write(chunk)));
    this.input.once("end", () => this.#finish());
    this.input.once("close", () => this.#finish());
    if (signal?.aborted) this.close();
    else signal?.addEventListener("abort", () => this.close(), { once: true });
  }
  #feed(text) {
    this.#rest += text;
    // A "\r" at the end may be half of "\r\n".
    const held = this.#rest.endsWith("\r") ? "\r" : "";
    const lines = this.#rest.slice(0, this.#rest.length - held.length).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() + held;
    for (const line of lines) this.#line(line);
  }
  #line(line) {
    const question = this.#questions.shift();
    if (question) question(line);
    else this.emit("line", line);
  }
  #finish() {
    if (this.closed) return;
    const rest = (this.#rest + this.#decoder.end()).replace(/\r$/, "");
    const had = this.#rest !== "";
    this.#rest = "";
    if (had) this.#line(rest);
    this.close();
  }
  setPrompt(text) { this.#prompt = text; }
  getPrompt() { return this.#prompt; }
  prompt() { this.output?.write(this.#prompt); }
  question(query, options, callback) {
    if (typeof options === "function") callback = options;
    if (this.closed) throw nodeError(Error, "ERR_USE_AFTER_CLOSE", "readline was closed");
    this.output?.write(query);
    this.#questions.push(callback);
  }
  write(text) { this.#feed(String(text)); }
  pause() {
    this.input.pause?.();
    this.emit("pause");
    return this;
  }
  resume() {
    this.input.resume?.();
    this.emit("resume");
    return this;
  }
  close() {
    if (this.closed) return;
    this.closed = true;
    this.input.pause?.();
    this.emit("close");
  }
  [Symbol.asyncIterator]() {
    const lines = [];
    let wake = null;
    this.on("line", (line) => (lines.push(line), wake?.()));
    this.on("close", () => wake?.());
    const rl = this;
    return (async function* () {
      try {
        while (true) {
          if (lines.length > 0) yield lines.shift();
          else if (rl.closed) return;
          else await new Promise((resolve) => (wake = resolve));
        }
      } finally {
        rl.close();
      }
    })();
  }
  [Symbol.dispose]() { this.close(); }
}

Object.defineProperty(Interface.prototype.question, Symbol.for("nodejs.util.promisify.custom"), {
  value(query) { return new Promise((resolve) => this.question(query, resolve)); },
});

const createInterface = (input, output) => new Interface(input, output);
const csi = (output, text, callback) => (output.write(text), callback?.(), true);
const clearLine = (output, dir, callback) => csi(output, dir < 0 ? "\u001b[1K" : dir > 0 ? "\u001b[0K" : "\u001b[2K", callback);
const clearScreenDown = (output, callback) => csi(output, "\u001b[0J", callback);
const cursorTo = (output, x, y, callback) => csi(output, typeof y === "number" ? `\u001b[${y + 1};${x + 1}H` : `\u001b[${x + 1}G`, callback);
const moveCursor = (output, dx, dy, callback) =>
  csi(output, (dx < 0 ? `\u001b[${-dx}D` : dx > 0 ? `\u001b[${dx}C` : "") + (dy < 0 ? `\u001b[${-dy}A` : dy > 0 ? `\u001b[${dy}B` : ""), callback);
const emitKeypressEvents = () => {};

class PromisesInterface extends Interface {
  question(query) { return new Promise((resolve) => super.question(query, resolve)); }
}
const promises = { Interface: PromisesInterface, createInterface: (input, output) => new PromisesInterface(input, output) };

export { Interface, createInterface, clearLine, clearScreenDown, cursorTo, moveCursor, emitKeypressEvents, promises };

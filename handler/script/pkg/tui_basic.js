// The components that only draw.
import { padTo, truncateToWidth, wrapTextWithAnsi } from "./tui_text.js";
import { matchesAction } from "./tui_keys.js";

const blank = (n, width, paint) => Array.from({ length: n }, () => paint(" ".repeat(width)));

// inset draws lines with room around them, on a background.
function inset(lines, width, x, y, background) {
  const paint = background ?? ((s) => s);
  const side = " ".repeat(x);
  return [...blank(y, width, paint), ...lines.map((l) => paint(padTo(side + l, width))), ...blank(y, width, paint)];
}

export class Text {
  #text; #x; #y; #background;
  constructor(text = "", paddingX = 1, paddingY = 1, background) {
    this.#text = text;
    this.#x = paddingX;
    this.#y = paddingY;
    this.#background = background;
  }
  setText(text) { this.#text = text; }
  setCustomBgFn(background) { this.#background = background; }
  invalidate() {}
  render(width) {
    if (!String(this.#text).trim()) return [];
    const lines = wrapTextWithAnsi(String(this.#text).replaceAll("\t", "   "), Math.max(1, width - 2 * this.#x));
    return inset(lines, width, this.#x, this.#y, this.#background);
  }
}

export class TruncatedText {
  constructor(text, paddingX = 0, paddingY = 0) { Object.assign(this, { text, paddingX, paddingY }); }
  invalidate() {}
  render(width) {
    const line = truncateToWidth(String(this.text).split("\n")[0], Math.max(1, width - 2 * this.paddingX));
    return inset([line], width, this.paddingX, this.paddingY);
  }
}

export class Spacer {
  #lines;
  constructor(lines = 1) { this.#lines = lines; }
  setLines(lines) { this.#lines = lines; }
  invalidate() {}
  render() { return Array(this.#lines).fill(""); }
}

export class Container {
  children = [];
  addChild(child) { this.children.push(child); }
  removeChild(child) { this.children = this.children.filter((c) => c !== child); }
  clear() { this.children = []; }
  invalidate() { for (const child of this.children) child.invalidate?.(); }
  render(width) { return this.children.flatMap((child) => child.render(width)); }
}

export class Box extends Container {
  #x; #y; #background;
  constructor(paddingX = 1, paddingY = 1, background) {
    super();
    this.#x = paddingX;
    this.#y = paddingY;
    this.#background = background;
  }
  setBgFn(background) { this.#background = background; }
  render(width) {
    if (!this.children.length) return [];
    return inset(super.render(Math.max(1, width - 2 * this.#x)), width, this.#x, this.#y, this.#background);
  }
}

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

export class Loader extends Text {
  #tui; #spin; #paint; #message; #frames = spinner; #every = 80; #frame = 0; #timer;
  constructor(tui, spinnerColor, messageColor, message = "Loading...", indicator) {
    super("", 1, 0);
    this.#tui = tui;
    this.#spin = spinnerColor;
    this.#paint = messageColor;
    this.#message = message;
    this.setIndicator(indicator);
  }
  setIndicator(indicator) {
    this.#frames = indicator?.frames ?? spinner;
    this.#every = indicator?.intervalMs ?? 80;
    this.stop();
    this.start();
  }
  setMessage(message) {
    this.#message = message;
    this.#draw();
  }
  start() {
    this.#draw();
    if (this.#frames.length > 1) {
      this.#timer = setInterval(() => {
        this.#frame = (this.#frame + 1) % this.#frames.length;
        this.#draw();
      }, this.#every);
    }
  }
  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
  #draw() {
    const frame = this.#frames[this.#frame] ?? "";
    this.setText((frame ? this.#spin(frame) + " " : "") + this.#paint(this.#message));
    this.#tui?.requestRender?.();
  }
  render(width) { return ["", ...super.render(width)]; }
}

export class CancellableLoader extends Loader {
  #controller = new AbortController();
  onAbort;
  get signal() { return this.#controller.signal; }
  get aborted() { return this.#controller.signal.aborted; }
  handleInput(data) {
    if (!matchesAction(data, "tui.select.cancel") || this.aborted) return;
    this.#controller.abort();
    this.onAbort?.();
  }
  dispose() { this.stop(); }
}

export const imageFallback = (mime, size, name) => `[Image: ${[name, `[${mime}]`, size && `${size.widthPx}x${size.heightPx}`].filter(Boolean).join(" ")}]`;

// Image is drawn as a line that says what it is.
export class Image {
  constructor(data, mimeType, theme, options = {}, size) { Object.assign(this, { data, mimeType, theme, options, size }); }
  invalidate() {}
  render() { return [this.theme.fallbackColor(imageFallback(this.mimeType, this.size, this.options.filename))]; }
}

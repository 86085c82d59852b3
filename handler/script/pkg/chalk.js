// The stand-in for chalk 5: styles for terminal text, chalk.red.bold("text"). It
// styles whatever the output is, as the host cleans it where it must.
import { standIn } from "./stand_in.js";
import * as self from "./chalk.js";
const { guard, missing, only } = standIn("chalk");

const codes = {
  reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], overline: [53, 55], inverse: [7, 27], hidden: [8, 28],
  strikethrough: [9, 29],
};
["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"].forEach((name, n) => {
  const upper = name[0].toUpperCase() + name.slice(1);
  codes[name] = [30 + n, 39];
  codes[name + "Bright"] = [90 + n, 39];
  codes["bg" + upper] = [40 + n, 49];
  codes["bg" + upper + "Bright"] = [100 + n, 49];
});
codes.gray = codes.grey = codes.blackBright;
codes.bgGray = codes.bgGrey = codes.bgBlackBright;
const rgbOf = (hex) => {
  const [h] = /[a-f\d]{6}|[a-f\d]{3}/i.exec(String(hex)) ?? ["000"];
  return (h.length === 3 ? [...h].map((c) => c + c) : h.match(/../g)).map((c) => parseInt(c, 16));
};
const makers = {
  rgb: (r, g, b) => [`38;2;${r};${g};${b}`, 39], bgRgb: (r, g, b) => [`48;2;${r};${g};${b}`, 49],
  hex: (h) => makers.rgb(...rgbOf(h)), bgHex: (h) => makers.bgRgb(...rgbOf(h)),
  ansi256: (n) => [`38;5;${n}`, 39], bgAnsi256: (n) => [`48;5;${n}`, 49],
};
const escape = (code) => `\u001b[${code}m`;

// paint styles a text: what closes a style within opens this one again, and no
// style reaches over the end of a line.
function paint(styles, text) {
  if (text === "" || styles.length === 0) return text;
  for (const [open, close] of styles.toReversed()) text = text.replaceAll(escape(close), escape(close) + escape(open));
  const open = styles.map(([o]) => escape(o)).join(""), close = styles.toReversed().map(([, c]) => escape(c)).join("");
  return open + text.replace(/\r?\n/g, (end) => close + end + open) + close;
}

const checkedLevel = (level) => (level === 0 || level === 3 ? level : missing("a level other than 0 and 3"));

// chain is a style of an instance, which holds the level.
function chain(instance, styles) {
  const call = (...parts) => {
    const text = parts.length === 1 ? String(parts[0]) : parts.join(" ");
    return instance.level === 0 ? text : paint(styles, text);
  };
  return new Proxy(guard("chalk", call), {
    get(target, key, receiver) {
      if (key === "level") return instance.level;
      if (Object.hasOwn(codes, key)) return chain(instance, [...styles, codes[key]]);
      if (Object.hasOwn(makers, key)) return (...args) => chain(instance, [...styles, makers[key](...args)]);
      return ["apply", "bind", "call"].includes(key) ? Function.prototype[key] : Reflect.get(target, key, receiver);
    },
    has: (target, key) => key === "level" || Object.hasOwn(codes, key) || Object.hasOwn(makers, key),
    set(_, key, value) {
      if (key !== "level") missing(`setting chalk.${String(key)}`);
      instance.level = checkedLevel(value);
      return true;
    },
  });
}

export class Chalk {
  constructor(options) {
    const { level = 3 } = only("new Chalk", options, "level");
    return chain({ level: checkedLevel(level) }, []);
  }
}
const chalk = new Chalk();
export const chalkStderr = new Chalk();
export default chalk;
guard("", self);

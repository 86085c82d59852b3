// Styles for terminal text: chalk.red.bold("text").
const codes = {
  reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], inverse: [7, 27], hidden: [8, 28], strikethrough: [9, 29],
};
["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"].forEach((name, n) => {
  const upper = name[0].toUpperCase() + name.slice(1);
  codes[name] = [30 + n, 39];
  codes[name + "Bright"] = [90 + n, 39];
  codes["bg" + upper] = [40 + n, 49];
  codes["bg" + upper + "Bright"] = [100 + n, 49];
});
codes.gray = codes.grey = codes.blackBright;
const rgbOf = (hex) => {
  const h = hex.replace("#", "");
  return (h.length === 3 ? [...h].map((c) => c + c) : h.match(/../g)).map((c) => parseInt(c, 16));
};
const makers = {
  rgb: (r, g, b) => [`38;2;${r};${g};${b}`, 39], bgRgb: (r, g, b) => [`48;2;${r};${g};${b}`, 49],
  hex: (h) => makers.rgb(...rgbOf(h)), bgHex: (h) => makers.bgRgb(...rgbOf(h)),
  ansi256: (n) => [`38;5;${n}`, 39], bgAnsi256: (n) => [`48;5;${n}`, 49],
};

function chain(styles) {
  const paint = (...parts) => styles.reduceRight((text, [open, close]) => `\u001b[${open}m${text}\u001b[${close}m`, parts.join(" "));
  return new Proxy(paint, {
    get(target, key) {
      if (Object.hasOwn(codes, key)) return chain([...styles, codes[key]]);
      if (Object.hasOwn(makers, key)) return (...args) => chain([...styles, makers[key](...args)]);
      if (key === "level") return 3;
      return target[key];
    },
  });
}
const chalk = chain([]);
export default chalk;
export { chalk, chalk as chalkStderr };
export class Chalk { constructor() { return chalk; } }

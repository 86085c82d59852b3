// util.parseArgs
import { invalidArgType, invalidArgValue, nodeError } from "internal:errors";

const fail = (code, message) => nodeError(TypeError, code, message);

function findShort(options, letter) {
  return Object.keys(options).find((name) => options[name].short === letter);
}

function checkConfig(options) {
  for (const [name, option] of Object.entries(options)) {
    if (option.type !== "string" && option.type !== "boolean") {
      throw invalidArgType(`options.${name}.type`, "('string|boolean')", option.type);
    }
    if (option.short !== undefined && [...String(option.short)].length !== 1) {
      throw invalidArgValue(`options.${name}.short`, option.short, "must be a single character");
    }
  }
}

// tokenize splits the arguments without judging them.
function tokenize(args, options) {
  const tokens = [];
  const queue = args.map((text, index) => ({ text, index }));
  let positionalOnly = false;
  const takesValue = (name) => name !== undefined && Object.hasOwn(options, name) && options[name].type === "string";
  while (queue.length > 0) {
    const { text, index } = queue.shift();
    if (positionalOnly || text === "-" || text[0] !== "-" || text === "") {
      tokens.push({ kind: "positional", index, value: text });
    } else if (text === "--") {
      tokens.push({ kind: "option-terminator", index });
      positionalOnly = true;
    } else if (text.startsWith("--")) {
      const eq = text.indexOf("=", 3);
      const name = eq < 0 ? text.slice(2) : text.slice(2, eq);
      let value = eq < 0 ? undefined : text.slice(eq + 1);
      let inlineValue = eq < 0 ? undefined : true;
      if (value === undefined && takesValue(name) && queue.length > 0) [value, inlineValue] = [queue.shift().text, false];
      tokens.push({ kind: "option", name, rawName: `--${name}`, index, value, inlineValue });
    } else {
      shortToken(text, index);
    }
  }
  return tokens;

  function shortToken(text, index) {
    const letter = text[1];
    const name = findShort(options, letter) ?? letter;
    if (text.length === 2) {
      let value;
      let inlineValue;
      if (takesValue(name) && queue.length > 0) [value, inlineValue] = [queue.shift().text, false];
      tokens.push({ kind: "option", name, rawName: text, index, value, inlineValue });
    } else if (takesValue(name)) {
      tokens.push({ kind: "option", name, rawName: `-${letter}`, index, value: text.slice(2), inlineValue: true });
    } else {
      // A group: each letter alone, the first string option takes the rest.
      const expanded = [];
      for (let i = 1; i < text.length; i++) {
        const longName = findShort(options, text[i]) ?? text[i];
        if (!takesValue(longName) || i === text.length - 1) expanded.push(`-${text[i]}`);
        else {
          expanded.push(`-${text.slice(i)}`);
          break;
        }
      }
      queue.unshift(...expanded.map((part) => ({ text: part, index })));
    }
  }
}

function describeOption(token, options) {
  const short = options[token.name]?.short;
  return short ? `-${short}, --${token.name}` : `--${token.name}`;
}

function checkStrict(token, options, allowPositionals) {
  if (token.kind === "positional" && !allowPositionals) {
    throw fail("ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL", `Unexpected argument '${token.value}'. This command does not take positional arguments`);
  }
  if (token.kind !== "option") return;
  if (!Object.hasOwn(options, token.name)) {
    const hint = allowPositionals ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- ${JSON.stringify(token.rawName)}` : "";
    throw fail("ERR_PARSE_ARGS_UNKNOWN_OPTION", `Unknown option '${token.rawName}'${hint}`);
  }
  const { type } = options[token.name];
  const label = describeOption(token, options);
  if (type === "string" && typeof token.value !== "string") {
    throw fail("ERR_PARSE_ARGS_INVALID_OPTION_VALUE", `Option '${label} <value>' argument missing`);
  }
  if (type === "boolean" && token.value !== undefined) {
    throw fail("ERR_PARSE_ARGS_INVALID_OPTION_VALUE", `Option '${label}' does not take an argument`);
  }
  if (type === "string" && token.inlineValue === false && token.value.length > 1 && token.value.startsWith("-")) {
    throw fail(
      "ERR_PARSE_ARGS_INVALID_OPTION_VALUE",
      `Option '${token.rawName}' argument is ambiguous.\nDid you forget to specify the option argument for '${token.rawName}'?\n` +
        `To specify an option argument starting with a dash use '${token.rawName.startsWith("--") ? `${token.rawName}=-XYZ` : `--${token.name}=-XYZ' or '${token.rawName}-XYZ`}'.`,
    );
  }
}

function parseArgs(config = {}) {
  const { args = globalThis.process.argv.slice(2), strict = true, options = {}, tokens: wantTokens = false } = config;
  const allowPositionals = config.allowPositionals ?? !strict;
  checkConfig(options);
  const tokens = tokenize(args, options);
  const values = Object.create(null);
  const positionals = [];
  for (const token of tokens) {
    if (strict) checkStrict(token, options, allowPositionals);
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option" || token.name === "__proto__") continue;
    const value = token.value ?? true;
    if (options[token.name]?.multiple) (values[token.name] ??= []).push(value);
    else values[token.name] = value;
  }
  for (const [name, option] of Object.entries(options)) {
    if (option.default !== undefined && values[name] === undefined) values[name] = option.default;
  }
  const result = { values, positionals };
  if (wantTokens) result.tokens = tokens;
  return result;
}

export { parseArgs };

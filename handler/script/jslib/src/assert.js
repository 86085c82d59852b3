// node:assert
import { deepEqual as equalDeep } from "internal:deepequal";
import { inspect } from "internal:inspect";
import { invalidArgType, nodeError } from "internal:errors";

class AssertionError extends Error {
  constructor(options) {
    if (typeof options !== "object" || options === null) throw invalidArgType("options", "of type object", options);
    const { message, actual, expected, operator } = options;
    super(message === undefined ? describe(operator, actual, expected) : String(message));
    this.generatedMessage = message === undefined;
    this.code = "ERR_ASSERTION";
    Object.assign(this, { actual, expected, operator });
    Object.defineProperty(this, "name", { value: "AssertionError", writable: true, configurable: true, enumerable: false });
  }
}

const phrases = {
  throws: "Expected values to be strictly deep-equal:",
  deepStrictEqual: "Expected values to be strictly deep-equal:",
  strictEqual: "Expected values to be strictly equal:",
  deepEqual: "Expected values to be loosely deep-equal:",
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
};

function describe(operator, actual, expected) {
  const [a, b] = [inspect(actual), inspect(expected)];
  if (operator === "==" || operator === "!=") return `${a} ${operator} ${b}`;
  if (operator?.startsWith("not")) return `${phrases[operator]} ${b}`;
  if (operator === "strictEqual" && !a.includes("\n") && !b.includes("\n") && typeof actual !== "object" && typeof expected !== "object") {
    return `${phrases[operator]}\n\n${a} !== ${b}\n`;
  }
  const minus = (text, sign) => text.split("\n").map((line) => `${sign} ${line}`).join("\n");
  return `${phrases[operator] ?? operator}\n${minus(a, "+")}\n${minus(b, "-")}`;
}

function check(condition, operator, actual, expected, message) {
  if (condition) return;
  if (message instanceof Error) throw message;
  throw new AssertionError({ message, actual, expected, operator });
}

function assert(...args) {
  return ok(...args);
}

function ok(value, message) {
  if (arguments.length === 0) {
    throw new AssertionError({ message: "No value argument passed to `assert.ok()`", actual: undefined, expected: true, operator: "==" });
  }
  if (!value && message === undefined) {
    const err = new AssertionError({ message: "The expression evaluated to a falsy value", actual: value, expected: true, operator: "==" });
    err.generatedMessage = true;
    throw err;
  }
  check(value, "==", value, true, message);
}

// The loose comparison is the point.
const equal = (a, b, message) => check(a == b || (a !== a && b !== b), "==", a, b, message);
// The loose comparison is the point.
const notEqual = (a, b, message) => check(!(a == b || (a !== a && b !== b)), "!=", a, b, message);
const strictEqual = (a, b, message) => check(Object.is(a, b), "strictEqual", a, b, message);
const notStrictEqual = (a, b, message) => check(!Object.is(a, b), "notStrictEqual", a, b, message);
const deepEqual = (a, b, message) => check(equalDeep(a, b, false), "deepEqual", a, b, message);
const notDeepEqual = (a, b, message) => check(!equalDeep(a, b, false), "notDeepEqual", a, b, message);
const deepStrictEqual = (a, b, message) => check(equalDeep(a, b, true), "deepStrictEqual", a, b, message);
const notDeepStrictEqual = (a, b, message) => check(!equalDeep(a, b, true), "notDeepStrictEqual", a, b, message);

function fail(message) {
  if (message instanceof Error) throw message;
  const err = new AssertionError({ message: message ?? "Failed", operator: "fail" });
  err.generatedMessage = message === undefined;
  throw err;
}

function match(text, regexp, message) {
  if (!(regexp instanceof RegExp)) throw invalidArgType("regexp", "an instance of RegExp", regexp);
  const good = typeof text === "string" && regexp.test(text);
  check(good, "match", text, regexp, message ?? `The input did not match the regular expression ${regexp}. Input:\n\n${inspect(text)}\n`);
}

function doesNotMatch(text, regexp, message) {
  if (!(regexp instanceof RegExp)) throw invalidArgType("regexp", "an instance of RegExp", regexp);
  const good = typeof text === "string" && !regexp.test(text);
  check(good, "doesNotMatch", text, regexp, message ?? `The input was expected to not match the regular expression ${regexp}. Input:\n\n${inspect(text)}\n`);
}

// matches says whether a thrown value is the expected one.
function matches(err, expected, message) {
  if (expected === undefined) return;
  if (typeof expected === "function") {
    if (expected.prototype !== undefined && err instanceof expected) return;
    if (expected === Error || Error.prototype.isPrototypeOf(expected.prototype ?? {})) {
      const got = err instanceof Error ? err.name : inspect(err);
      const text = `The error is expected to be an instance of "${expected.name}". Received "${got}"\n\nError message:\n\n${err?.message}`;
      check(false, "throws", err, expected, message ?? text);
    }
    if (expected.call({}, err) === true) return;
    check(false, "throws", err, expected, message ?? `The ${expected.name ? `"${expected.name}"` : ""} validation function is expected to return "true".`);
  }
  if (expected instanceof RegExp) {
    const text = String(err);
    check(expected.test(text), "throws", err, expected, message ?? `The input did not match the regular expression ${expected}. Input:\n\n${inspect(text)}\n`);
    return;
  }
  if (typeof expected !== "object" || expected === null) throw invalidArgType("expected", "of type function or an instance of Error, RegExp, or Object", expected);
  const keys = Object.keys(expected);
  if (expected instanceof Error) keys.push("name", "message");
  for (const key of keys) {
    const same = expected[key] instanceof RegExp && typeof err[key] === "string" ? expected[key].test(err[key]) : key in err && equalDeep(err[key], expected[key], true);
    check(same, "throws", err, expected, message);
  }
}

const none = Symbol("nothing thrown");

function thrownBy(fn) {
  if (typeof fn !== "function") throw invalidArgType("fn", "of type function", fn);
  try {
    fn();
  } catch (err) {
    return err;
  }
  return none;
}

async function rejectionOf(source) {
  let promise = source;
  if (typeof source === "function") {
    promise = source();
    if (typeof promise?.then !== "function") {
      throw nodeError(TypeError, "ERR_INVALID_RETURN_VALUE", 'Expected instance of Promise to be returned from the "promiseFn" function');
    }
  } else if (typeof source?.then !== "function") throw invalidArgType("promiseFn", "of type function or an instance of Promise", source);
  try {
    await promise;
  } catch (err) {
    return err;
  }
  return none;
}

function expectThrown(err, expected, message, operator) {
  if (typeof expected === "string") [expected, message] = [undefined, expected];
  if (err === none) {
    const what = operator === "rejects" ? "rejection" : "exception";
    const name = expected?.name ? ` (${expected.name})` : "";
    check(false, operator, undefined, expected, `Missing expected ${what}${name}${message ? `: ${message}` : "."}`);
  }
  matches(err, expected, message);
}

function expectNothing(err, expected, message, operator) {
  if (err === none) return;
  if (typeof expected === "string") [expected, message] = [undefined, expected];
  if (expected && !(err instanceof expected)) throw err;
  const what = operator === "doesNotReject" ? "rejection" : "exception";
  check(false, operator, err, expected, `Got unwanted ${what}${message ? `: ${message}` : "."}\nActual message: "${err?.message}"`);
}

const throws = (fn, expected, message) => expectThrown(thrownBy(fn), expected, message, "throws");
const doesNotThrow = (fn, expected, message) => expectNothing(thrownBy(fn), expected, message, "doesNotThrow");
const rejects = async (source, expected, message) => expectThrown(await rejectionOf(source), expected, message, "rejects");
const doesNotReject = async (source, expected, message) => expectNothing(await rejectionOf(source), expected, message, "doesNotReject");

function ifError(value) {
  if (value === null || value === undefined) return;
  const text = value instanceof Error ? value.message : inspect(value);
  throw new AssertionError({ message: `ifError got unwanted exception: ${text}`, actual: value, expected: null, operator: "ifError" });
}

Object.assign(assert, {
  ok, equal, notEqual, strictEqual, notStrictEqual, deepEqual, notDeepEqual, deepStrictEqual, notDeepStrictEqual, fail, match,
  doesNotMatch, throws, doesNotThrow, rejects, doesNotReject, ifError, AssertionError,
});
const strict = Object.assign((...args) => ok(...args), assert, {
  equal: strictEqual, notEqual: notStrictEqual, deepEqual: deepStrictEqual, notDeepEqual: notDeepStrictEqual,
});
strict.strict = strict;
assert.strict = strict;

export {
  AssertionError, ok, equal, notEqual, strictEqual, notStrictEqual, deepEqual, notDeepEqual, deepStrictEqual,
  notDeepStrictEqual, fail, match, doesNotMatch, throws, doesNotThrow, rejects, doesNotReject, ifError, strict,
};
export default assert;

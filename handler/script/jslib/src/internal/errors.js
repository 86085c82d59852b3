// Errors shaped like Node's: a `code`, and the code in the stack's first line.

function nodeError(Base, code, message, props) {
  const err = new Base(message);
  err.code = code;
  if (props) Object.assign(err, props);
  return err;
}

// describe says what was received, the way Node words it.
function describe(value) {
  if (value === null || value === undefined) return ` Received ${value}`;
  if (typeof value === "function") return ` Received function ${value.name}`;
  if (typeof value === "object") {
    const name = value.constructor?.name;
    return name ? ` Received an instance of ${name}` : ` Received ${Object.prototype.toString.call(value)}`;
  }
  let text = typeof value === "string" ? `'${value}'` : String(value);
  if (typeof value === "bigint") text += "n";
  if (text.length > 28) text = text.slice(0, 25) + "..." + (typeof value === "string" ? "'" : "");
  return ` Received type ${typeof value} (${text})`;
}

function invalidArgType(name, expected, actual) {
  const what = name.includes(".") ? "property" : "argument";
  return nodeError(
    TypeError,
    "ERR_INVALID_ARG_TYPE",
    `The "${name}" ${what} must be ${expected}.${describe(actual)}`,
  );
}

function invalidArgValue(name, value, reason = "is invalid") {
  const text = typeof value === "string" ? `'${value}'` : String(value);
  return nodeError(TypeError, "ERR_INVALID_ARG_VALUE", `The ${name.includes(".") ? "property" : "argument"} '${name}' ${reason}. Received ${text}`);
}

function outOfRange(name, range, value) {
  let text = String(value);
  if (typeof value === "bigint") text += "n";
  if (/^-?\d+n?$/.test(text) && (typeof value === "bigint" || Math.abs(value) > 2 ** 32)) text = text.replace(/\B(?=(\d{3})+(?!\d))/g, "_");
  return nodeError(
    RangeError,
    "ERR_OUT_OF_RANGE",
    `The value of "${name}" is out of range. It must be ${range}. Received ${text}`,
  );
}

function requireString(value, name) {
  if (typeof value !== "string") throw invalidArgType(name, "of type string", value);
}

function requireFunction(value, name) {
  if (typeof value !== "function") throw invalidArgType(name, "of type function", value);
}

export { nodeError, describe, invalidArgType, invalidArgValue, outOfRange, requireString, requireFunction };

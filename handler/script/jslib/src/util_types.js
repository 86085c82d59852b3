// node:util/types. Without access to the engine's class tags, the checks call
// an accessor that only the real thing answers.
const typedArray = Object.getPrototypeOf(Uint8Array);
const tagGetter = Object.getOwnPropertyDescriptor(typedArray.prototype, Symbol.toStringTag).get;
const answers = (fn) => (value) => {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  try {
    fn(value);
    return true;
  } catch {
    return false;
  }
};
const getter = (proto, key) => Object.getOwnPropertyDescriptor(proto, key).get;
const calls = (fn, ...args) => answers((value) => fn.call(value, ...args));

const isTyped = (name) => (value) => tagGetter.call(value) === name;
const isMap = calls(getter(Map.prototype, "size"));
const isSet = calls(getter(Set.prototype, "size"));
const isWeakMap = calls(WeakMap.prototype.has, {});
const isWeakSet = calls(WeakSet.prototype.has, {});
const isDate = calls(Date.prototype.getTime);
const isArrayBuffer = calls(getter(ArrayBuffer.prototype, "byteLength"));
const isSharedArrayBuffer = calls(getter(SharedArrayBuffer.prototype, "byteLength"));
const isDataView = calls(getter(DataView.prototype, "byteLength"));
const isNumberObject = calls(Number.prototype.valueOf);
const isStringObject = calls(String.prototype.valueOf);
const isBooleanObject = calls(Boolean.prototype.valueOf);
const isBigIntObject = calls(BigInt.prototype.valueOf);
const isSymbolObject = calls(Symbol.prototype.valueOf);
const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);
const isObject = (value) => value !== null && typeof value === "object";

const isRegExp = (value) => isObject(value) && value !== RegExp.prototype && answers((v) => getter(RegExp.prototype, "global").call(v))(value);
const isPromise = (value) => value instanceof Promise;
const isNativeError = (value) => (Error.isError ? Error.isError(value) : value instanceof Error);
const isArgumentsObject = (value) => isObject(value) && !(Symbol.toStringTag in value) && tagOf(value) === "Arguments";
const isBoxedPrimitive = (value) =>
  isNumberObject(value) || isStringObject(value) || isBooleanObject(value) || isBigIntObject(value) || isSymbolObject(value);
const isAnyArrayBuffer = (value) => isArrayBuffer(value) || isSharedArrayBuffer(value);
const isArrayBufferView = (value) => ArrayBuffer.isView(value);
const isTypedArray = (value) => tagGetter.call(value) !== undefined;
const isAsyncFunction = (value) => typeof value === "function" && /^Async/.test(tagOf(value));
const isGeneratorFunction = (value) => typeof value === "function" && /GeneratorFunction$/.test(tagOf(value));
const isGeneratorObject = (value) => isObject(value) && /Generator$/.test(tagOf(value));
const isMapIterator = (value) => isObject(value) && tagOf(value) === "Map Iterator";
const isSetIterator = (value) => isObject(value) && tagOf(value) === "Set Iterator";
const isModuleNamespaceObject = (value) => isObject(value) && tagOf(value) === "Module";
const isProxy = () => false;
const isExternal = () => false;
const isUint8Array = isTyped("Uint8Array");
const isUint8ClampedArray = isTyped("Uint8ClampedArray");
const isUint16Array = isTyped("Uint16Array");
const isUint32Array = isTyped("Uint32Array");
const isInt8Array = isTyped("Int8Array");
const isInt16Array = isTyped("Int16Array");
const isInt32Array = isTyped("Int32Array");
const isFloat32Array = isTyped("Float32Array");
const isFloat64Array = isTyped("Float64Array");
const isBigInt64Array = isTyped("BigInt64Array");
const isBigUint64Array = isTyped("BigUint64Array");

export {
  isMap, isSet, isWeakMap, isWeakSet, isDate, isRegExp, isPromise, isNativeError, isArgumentsObject,
  isArrayBuffer, isSharedArrayBuffer, isAnyArrayBuffer, isArrayBufferView, isDataView, isTypedArray,
  isNumberObject, isStringObject, isBooleanObject, isBigIntObject, isSymbolObject, isBoxedPrimitive,
  isAsyncFunction, isGeneratorFunction, isGeneratorObject, isMapIterator, isSetIterator, isModuleNamespaceObject,
  isProxy, isExternal, isUint8Array, isUint8ClampedArray, isUint16Array, isUint32Array, isInt8Array, isInt16Array,
  isInt32Array, isFloat32Array, isFloat64Array, isBigInt64Array, isBigUint64Array,
};

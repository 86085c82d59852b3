// node:assert/strict
import { strict } from "node:assert";

const {
  AssertionError, ok, equal, notEqual, strictEqual, notStrictEqual, deepEqual, notDeepEqual, deepStrictEqual,
  notDeepStrictEqual, fail, match, doesNotMatch, throws, doesNotThrow, rejects, doesNotReject, ifError,
} = strict;

export {
  AssertionError, ok, equal, notEqual, strictEqual, notStrictEqual, deepEqual, notDeepEqual, deepStrictEqual,
  notDeepStrictEqual, fail, match, doesNotMatch, throws, doesNotThrow, rejects, doesNotReject, ifError, strict,
};
export default strict;

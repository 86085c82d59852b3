// node:module. There is no module search at run time: a hook is one bundle.
import { invalidArgType, nodeError } from "internal:errors";

const builtinModules = [
  "assert", "assert/strict", "async_hooks", "buffer", "child_process", "console", "constants", "crypto", "events", "fs",
  "fs/promises", "module", "os", "path", "path/posix", "path/win32", "perf_hooks", "process", "querystring", "readline",
  "readline/promises", "stream", "stream/promises", "string_decoder", "timers", "timers/promises", "url", "util", "util/types",
];
const isBuiltin = (name) => builtinModules.includes(String(name).replace(/^node:/, ""));

function createRequire(from) {
  if (typeof from !== "string" && !(from instanceof globalThis.URL)) {
    throw invalidArgType("filename", "a file URL object, file URL string, or absolute path string", from);
  }
  const require = (name) => {
    if (isBuiltin(name)) return globalThis[Symbol.for("hookline.host")].builtin(name).default;
    if (/\.json$/.test(name) && /^[./]/.test(name)) return readJSON(from, name);
    throw nodeError(
      Error,
      "MODULE_NOT_FOUND",
      `Cannot find module '${name}': packages are bundled when the hook is loaded, so a name computed at run time is not there. ` +
        `Import it by a literal name, or set the module's runtime to node`,
      { requireStack: [String(from)] },
    );
  };
  require.resolve = (name) => {
    if (isBuiltin(name)) return name;
    return require(name);
  };
  require.cache = Object.create(null);
  require.main = undefined;
  return require;
}

function readJSON(from, name) {
  const { builtin } = globalThis[Symbol.for("hookline.host")];
  const file = String(from).startsWith("file:") ? builtin("url").fileURLToPath(String(from)) : String(from);
  const { resolve, dirname } = builtin("path");
  return JSON.parse(builtin("fs").readFileSync(resolve(dirname(file), name), "utf8"));
}

class Module {
  constructor(id = "") {
    this.id = id;
    this.exports = {};
  }
}
const register = () => {
  throw nodeError(Error, "ERR_FEATURE_UNAVAILABLE", "module.register: there are no loader hooks here");
};
Object.assign(Module, { builtinModules, createRequire, isBuiltin, register, Module });

export { builtinModules, createRequire, isBuiltin, register, Module };
export default Module;

// What a stand-in for an npm package does not do throws where a module asks for
// it, with the remedy: a schema that passed over one of its rules would be a gate
// that stays open.
import { rt } from "hookline:rt";

// standIn returns what the stand-in for a package guards itself with.
export function standIn(name, remedy = `run "npm install ${name}" beside the module: its own node_modules come first`) {
  const missing = (what) => {
    throw new rt.UnsupportedError(`${what} of the package ${name}; ${remedy}`);
  };
  // guard makes an object, a prototype or a module's namespace throw for what it
  // does not have; what names it in messages, or is a function that does. Looking
  // whether it is there with "in" is allowed.
  const guard = (what, object) => Object.setPrototypeOf(object, new Proxy({}, {
    get(_, key, receiver) {
      if (typeof key === "symbol" || key in Object.prototype || key === "then" || key === "toJSON" || key === "__esModule") {
        return Reflect.get(Object.prototype, key, receiver);
      }
      const place = typeof what === "function" ? what(receiver) : what;
      return missing(place ? `${place}.${key}` : key);
    },
  }));
  // only refuses the options of a call that are not known.
  const only = (what, options, ...known) => {
    for (const key of Object.keys(options ?? {})) if (!known.includes(key)) missing(`the option "${key}" of ${what}`);
    return options ?? {};
  };
  // lacks gives a class that modules may extend methods that throw: on a guard, so
  // would a field that is not set yet.
  const lacks = (Class, ...methods) => {
    for (const m of methods) Class.prototype[m] = () => missing(`${Class.name}.${m}`);
  };
  return { missing, guard, only, lacks };
}

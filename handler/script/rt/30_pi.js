// What a module registers, and the object that its factory gets.
let settings = { path: "", cwd: "", family: "omp", kind: "hook", flags: {} };
const ompExtension = () => settings.family === "omp" && settings.kind === "extension";
let bound = false; // the factory has run: action methods work

const handlers = create(null);
const commands = create(null);
const tools = create(null);
const flags = create(null);
const shortcuts = create(null);
const renderers = create(null);
const entryRenderers = create(null);
const providers = create(null);

const checked = (value, type, what) => {
  if (typeof value !== type) throw new TypeError(`${what} must be a ${type}`);
  return value;
};

// announce tells Go what is registered, once the module is loaded.
function announce() {
  if (bound) host("registered", registered());
}

// isStandard tells a schema that checks values itself, as zod's do.
const isStandard = (schema) => isObject(schema) && "~standard" in schema;

// toolSchema is the JSON schema of a tool's parameters.
function toolSchema(parameters) {
  if (!isStandard(parameters)) return parameters ?? {};
  if (typeof parameters.toJSONSchema !== "function") throw new TypeError("a tool's parameters must be a JSON schema, or a schema of zod 4.2 or later");
  const { $schema, ...schema } = parameters.toJSONSchema({ io: "input" });
  return schema;
}

function registered() {
  const list = [];
  for (const event of ownKeys(handlers)) {
    for (let index = 0; index < handlers[event].length; index++) list[list.length] = { event, index };
  }
  const text = (v) => (typeof v === "string" ? v : "");
  return stringify({
    handlers: list,
    commands: ownKeys(commands).map((name) => ({
      name, description: text(commands[name].description),
      completes: typeof commands[name].getArgumentCompletions === "function",
    })),
    tools: ownKeys(tools).map((name) => {
      const t = tools[name];
      return {
        name, label: text(t.label) || name, description: text(t.description), parameters: toolSchema(t.parameters),
        promptSnippet: text(t.promptSnippet),
        promptGuidelines: isArray(t.promptGuidelines) ? t.promptGuidelines.map(String) : [],
        rendersCall: typeof t.renderCall === "function", rendersResult: typeof t.renderResult === "function",
      };
    }),
    flags: ownKeys(flags).map((name) => ({
      name, description: text(flags[name].description), type: text(flags[name].type) || "boolean",
      default: flags[name].default ?? null,
    })),
    shortcuts: ownKeys(shortcuts).map((key) => ({ key, description: text(shortcuts[key].description) })),
    renderers: ownKeys(renderers),
    entryRenderers: ownKeys(entryRenderers),
    completes: completers > 0,
    providers: ownKeys(providers),
  });
}

// action guards the methods that act on a session: while the module loads there
// is none.
const action = (name, fn) => (...args) => {
  if (!bound) {
    throw new Error(settings.kind === "hook"
      ? `${name} handler not initialized`
      : "Extension runtime not initialized. Action methods cannot be called during extension loading.");
  }
  return fn(...args);
};

// delivery reads the second argument of sendMessage: a boolean in one family's
// types, an object in its loader and in the other family.
const delivery = (x) => ({
  triggerTurn: x === true || !!x?.triggerTurn,
  as: isObject(x) && x.deliverAs ? String(x.deliverAs) : "",
});

// ending counts the handlers of agent_end that run. What they send does not keep the
// agent going in pi 0.73.1, and modules written for that send each time.
let ending = 0;
const deliveryOf = (x) => {
  const d = delivery(x);
  return settings.old && ending > 0 && !d.triggerTurn ? { ...d, as: "nextTurn" } : d;
};

function atEnd(handler) {
  ending++;
  let waits = false;
  try {
    const value = handler();
    waits = isObject(value) && typeof value.then === "function";
    return waits ? then(resolved(value), (v) => (ending--, v), (e) => { ending--; throw e; }) : value;
  } finally {
    if (!waits) ending--;
  }
}

function exec(command, args = [], options = {}) {
  checked(command, "string", "the command");
  return start("exec", {
    command, args: args.map(String), cwd: options.cwd ?? "", timeout: options.timeout > 0 ? options.timeout : 0,
  }, { signal: options.signal });
}

const logger = create(null);
for (const level of ["debug", "info", "warn", "error"]) {
  logger[level] = (message, context) => void ask("log", level, String(message), context ?? null);
}

// Packages that a module may reach without importing them are loaded on first
// use.
const packages = create(null);
const indirectEval = eval;
function loadPackage(name) {
  packages[name] ??= indirectEval(ask("package", name))(__hl);
  return packages[name];
}

const flagValue = (name) => {
  const flag = flags[name];
  if (!flag) return undefined;
  const given = settings.flags?.[name];
  if (given === undefined) return flag.default;
  return flag.type === "string" ? given : given !== "false";
};

const pi = {
  on(event, handler) {
    const list = (handlers[event] ??= []), index = list.length;
    list[index] = checked(handler, "function", `the handler of "${event}"`);
    announce();
    // The others keep their numbers, by which Go calls them.
    return () => void (list[index] = nothing);
  },
  registerCommand(name, options) {
    checked(options?.handler, "function", `the handler of command "${name}"`);
    commands[name] = options;
    announce();
  },
  registerMessageRenderer(type, renderer) {
    renderers[type] = checked(renderer, "function", `the renderer of "${type}"`);
    announce();
  },
  registerTool(tool) {
    checked(tool?.execute, "function", `the tool "${tool?.name}"'s execute`);
    tools[checked(tool.name, "string", "a tool's name")] = tool;
    announce();
  },
  registerShortcut(key, options) {
    checked(options?.handler, "function", `the handler of shortcut "${key}"`);
    shortcuts[key] = options;
    announce();
  },
  registerFlag(name, options) {
    flags[name] = options ?? {};
    announce();
  },
  getFlag: flagValue,
  registerProvider(name, config) {
    providers[name] = config;
    announce();
    then(start("agent.do", ["registerProvider", [name, encodable(config)]]), undefined,
      (e) => host("ignored", `registerProvider(${stringify(name)}): ${e.message}`));
  },
  unregisterProvider(name) {
    delete providers[name];
    announce();
    then(start("agent.do", ["unregisterProvider", [name]]), undefined,
      (e) => host("ignored", `unregisterProvider(${stringify(name)}): ${e.message}`));
  },
  setLabel(label, text) {
    // One family labels an entry, the other the extension itself.
    if (text === undefined && settings.family === "omp") return void (pi.label = String(label));
    return action("setLabel", () => ask("agent.set", "label", { entryId: label, label: text ?? null }))();
  },
  sendMessage: action("sendMessage", (message, x) => {
    ask("message.send", {
      customType: message.customType, content: message.content ?? "", display: message.display ?? true,
      details: message.details ?? null,
    }, deliveryOf(x));
  }),
  sendUserMessage: action("sendUserMessage", (content, x) => {
    ask("message.user", content, { ...delivery(x), triggerTurn: true });
  }),
  appendEntry: action("appendEntry", (type, data) => ask("message.entry", String(type), data ?? null)),
  setSessionName: action("setSessionName", (name) => ask("agent.set", "sessionName", String(name))),
  getSessionName: action("getSessionName", () => ask("agent.get", "sessionName")),
  getActiveTools: action("getActiveTools", () => ask("agent.get", "activeTools") ?? []),
  getAllTools: action("getAllTools", () => ask("agent.get", "allTools") ?? []),
  setActiveTools: action("setActiveTools", (names) => ask("agent.set", "activeTools", names)),
  getCommands: action("getCommands", () => ask("agent.get", "commands") ?? []),
  setModel: action("setModel", (model) => start("agent.do", ["setModel", [model]])),
  getThinkingLevel: action("getThinkingLevel", () => ask("agent.get", "thinkingLevel") ?? "off"),
  setThinkingLevel: action("setThinkingLevel", (level) => ask("agent.set", "thinkingLevel", level)),
  exec,
  logger,
  getSettings: () => ({}),
  getMcpServers: () => [],
  get typebox() { return loadPackage("typebox"); },
  get zod() { return loadPackage("zod").z; },
  registerEntryRenderer(type, renderer) {
    entryRenderers[type] = checked(renderer, "function", `the renderer of "${type}"`);
    announce();
  },
  get pi() { return loadPackage("agent"); },
};

for (const name of [
  "registerVirtualModel", "unregisterVirtualModel", "registerMcpServer", "unregisterMcpServer", "registerToolRenderer", "registerMarkdownTransformer",
  "registerAssistantThinkingRenderer",
]) {
  pi[name] = () => unsupported(name);
}

// encodable drops the functions of a configuration, which cannot cross.
const encodable = (value) => parse(stringify(value ?? null));

// The event bus reaches the other modules of the same host as well.
const busListeners = create(null);
const deliver = (channel, data) => {
  for (const fn of [...(busListeners[channel] ?? [])]) {
    const r = inCallback(`in a listener of "${channel}"`, fn, data);
    if (isObject(r)) then(resolved(r), undefined, (e) => host("callback", `in a listener of "${channel}"`, stringify(describe(e))));
  }
};
pi.events = {
  on(channel, fn) {
    const list = (busListeners[channel] ??= []);
    list.push(checked(fn, "function", "a listener"));
    return () => {
      const n = list.indexOf(fn);
      if (n >= 0) list.splice(n, 1);
    };
  },
  emit(channel, data) {
    deliver(channel, data);
    ask("bus.emit", String(channel), data ?? null);
  },
};

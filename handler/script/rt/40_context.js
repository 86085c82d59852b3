// The ctx object of handlers, commands and tools. Each call gets a fresh one.
const sessionMethods = [
  "getSessionDir", "getSessionId", "getSessionFile", "getLeafId", "getLeafEntry", "getEntry", "getLabel",
  "getBranch", "getHeader", "getEntries", "getTree", "getUsageStatistics", "getSessionName", "getChildren",
  "buildSessionContext",
];
const sessionManager = { getCwd: () => ask("session.cwd") };
const lists = { getEntries: true, getBranch: true, getTree: true, getChildren: true };
for (const name of sessionMethods) {
  sessionManager[name] = (...args) => ask("session.get", name, args) ?? (lists[name] ? [] : undefined);
}

// buildContextEntries are the entries that the model is told of: of those before a
// compaction the ones that it kept.
sessionManager.buildContextEntries = () => {
  const branch = sessionManager.getBranch(), at = branch.findLastIndex((e) => e.type === "compaction");
  if (at < 0) return branch;
  const kept = branch.findIndex((e) => e.id === branch[at].firstKeptEntryId);
  return [branch[at], ...(kept < 0 ? [] : branch.slice(kept, at)), ...branch.slice(at + 1)];
};

// messagesOf are the messages that an entry stands for.
function messagesOf(e) {
  const timestamp = Date.parse(e.timestamp);
  switch (e.type) {
    case "message": return [e.message];
    case "custom_message": return [{ role: "custom", customType: e.customType, content: e.content, display: e.display, details: e.details, timestamp }];
    case "branch_summary": return [{ role: "branchSummary", summary: e.summary, fromId: e.fromId, timestamp }];
    case "compaction": return [{ role: "compactionSummary", summary: e.summary, tokensBefore: e.tokensBefore, timestamp }];
  }
  return [];
}

sessionManager.buildSessionProjection = () => {
  const entries = sessionManager.buildContextEntries().map((e) => ({ sourceEntry: e, messages: messagesOf(e) }));
  const model = contextMethods.model;
  return {
    entries, messages: entries.flatMap((e) => e.messages), thinkingLevel: contextMethods.thinkingLevel,
    model: model ? { provider: model.provider, modelId: model.id } : null,
  };
};

const apiKeyResult = (answer) => (typeof answer === "string" ? answer : answer?.apiKey);
const models = {
  find: (provider, id) => ask("model.get", "find", [provider, id]) ?? undefined,
  getAll: () => ask("model.get", "getAll", []) ?? [],
  getAvailable: () => ask("model.get", "getAvailable", []) ?? [],
  getAvailableModels: () => ask("model.get", "getAvailable", []) ?? [],
  hasConfiguredAuth: (model) => !!ask("model.get", "hasAuth", [model]),
  isUsingOAuth: () => false,
  getError: () => undefined,
  getProviderDisplayName: (provider) => provider,
  complete: (model, context, options) => start("model.do", ["complete", [model, context, options ?? null]]),
  registerProvider: (name, config) => pi.registerProvider(name, config),
  unregisterProvider: (name) => pi.unregisterProvider(name),
  getApiKey: (model) => then(start("model.do", ["getApiKey", [model]]), apiKeyResult),
  getApiKeyForProvider: (provider) => then(start("model.do", ["getApiKey", [{ provider }]]), apiKeyResult),
  getApiKeyAndHeaders: (model) => then(start("model.do", ["getApiKey", [model]]), (answer) => {
    const apiKey = apiKeyResult(answer);
    return apiKey ? { ok: true, apiKey, headers: answer?.headers } : { ok: false, error: `no API key for ${model?.provider}` };
  }),
  refresh() {},
  // All models are chat models, and no provider is a module's.
  findOfType: (type, provider, id) => (type === "chat" ? models.find(provider, id) : undefined),
  getModelOfType: (type, provider, id) => models.findOfType(type, provider, id),
  getModelsOfType: (type, provider) => (type === "chat" ? models.getAll() : []).filter((m) => provider === undefined || m.provider === provider),
  getAvailableOfType: async (type, provider) => models.getModelsOfType(type, provider),
  getProviderAuthStatus: (provider) => ({ configured: models.getAll().some((m) => m.provider === provider) }),
  getProviderAuth: async (provider) => (models.getProviderAuthStatus(provider).configured ? { auth: { apiKey: await models.getApiKeyForProvider(provider) } } : undefined),
  getRegisteredProviderConfig: () => undefined,
  getRegisteredNativeProvider: () => undefined,
  getRegisteredProviderIds: () => [],
  stream: (model, context, options) => loadPackage("ai").stream(model, context, options),
  streamSimple: (model, context, options) => loadPackage("ai").streamSimple(model, context, options),
};

const cancelled = (v) => ({ cancelled: !!v });

// A read-write session for newSession's setup: the calls are collected and sent
// with the request, because the session does not exist yet.
function recorder() {
  const steps = [];
  let n = 0;
  const record = (method) => (...args) => {
    steps.push([method, args]);
    return `setup-${++n}`;
  };
  const sm = { ...sessionManager };
  for (const name of [
    "appendMessage", "appendCustomMessageEntry", "appendCustomEntry", "appendThinkingLevelChange",
    "appendModelChange", "appendSessionInfo", "appendLabelChange",
  ]) sm[name] = record(name);
  return { sm, steps };
}

const callKey = Symbol("call"), hasUIKey = Symbol("hasUI"), promptKey = Symbol("systemPrompt");

const contextMethods = {
  get hasUI() { return this[hasUIKey] ?? ask("ui.has"); },
  get cwd() { return ask("session.cwd"); },
  get mode() { return ask("agent.get", "mode") ?? "print"; },
  get sessionManager() { return sessionManager; },
  get modelRegistry() { return models; },
  get model() { return ask("agent.get", "model") ?? undefined; },
  get thinkingLevel() { return ask("agent.get", "thinkingLevel") ?? "off"; },
  get scopedModels() { return []; },
  isProjectTrusted: () => true, // or nothing of it would run
  get ui() {
    const ui = makeUI(this[callKey]);
    defineProperty(this, "ui", { value: ui, configurable: true });
    return ui;
  },
  get signal() { return this[callKey] && ask("agent.idle") === false ? signalOf(this[callKey]) : undefined; },
  isIdle: () => ask("agent.idle") ?? true,
  abort: () => void ask("agent.abort"),
  hasQueuedMessages: () => ask("agent.pending") ?? false,
  hasPendingMessages: () => ask("agent.pending") ?? false,
  shutdown: () => void ask("agent.shutdown"),
  getContextUsage: () => ask("agent.get", "contextUsage") ?? undefined,
  getSystemPrompt() {
    const text = this?.[promptKey] ?? ask("agent.get", "systemPrompt") ?? "";
    return ompExtension() ? [text] : text; // it has parts there
  },
  compact(options) {
    const instructions = typeof options === "string" ? options : options?.customInstructions;
    const done = start("agent.do", ["compact", [instructions ?? null]]);
    return then(done, (r) => (options?.onComplete?.(r), r), (e) => {
      if (typeof options?.onError === "function") return void options.onError(e);
      throw e;
    });
  },
};

// Events, the frequent case, come with the answer to hasUI.
function Context(id, hasUI) {
  this[callKey] = id;
  this[hasUIKey] = hasUI;
}
Context.prototype = contextMethods;
const makeContext = (id, hasUI) => new Context(id, hasUI);

const promptOptions = () => ({ cwd: ask("session.cwd"), sections: {}, ...ask("agent.get", "systemPromptOptions") });

// What only commands get: during an event the agent waits for that very
// handler.
function makeCommandContext(id) {
  const ctx = makeContext(id);
  const run = (method, ...args) => then(start("session.do", [method, args]), cancelled);
  return assign(ctx, {
    waitForIdle: () => start("session.idle", []),
    getSystemPromptOptions: promptOptions,
    async newSession(options = {}) {
      const { sm, steps } = recorder();
      await options.setup?.(sm);
      const r = await run("newSession", { parentSession: options.parentSession ?? null, setup: steps });
      if (!r.cancelled) await options.withSession?.(makeReplaced(id));
      return r;
    },
    branch: (entry) => run("branch", entry),
    async fork(entry, options = {}) {
      const r = await run("branch", entry, { position: options.position ?? "before" });
      if (!r.cancelled) await options.withSession?.(makeReplaced(id));
      return r;
    },
    navigateTree: (entry, options = {}) => run("navigateTree", entry, options),
    async switchSession(path, options = {}) {
      const r = await run("switchSession", path);
      if (!r.cancelled) await options.withSession?.(makeReplaced(id));
      return r;
    },
    reload: () => then(run("reload"), () => undefined),
  });
}

const makeReplaced = (id) => assign(makeCommandContext(id), {
  sendMessage: async (m, x) => pi.sendMessage(m, x),
  sendUserMessage: async (c, x) => pi.sendUserMessage(c, x),
});

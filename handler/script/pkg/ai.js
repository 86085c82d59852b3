// The model package: calls go through the host, which holds the keys.
import { rt } from "hookline:rt";
import { Type } from "./typebox.js";
import { problems } from "./schema_check.js";
export { Type };

export function StringEnum(values, options = {}) {
  return Type.Unsafe({ type: "string", enum: [...values], ...options });
}

// EventStream is an async iterable with a final result.
export class EventStream {
  #events = []; #waiting = []; #ended = false; #isEnd; #extract; #result = Promise.withResolvers();
  constructor(isComplete, extractResult) {
    this.#isEnd = isComplete;
    this.#extract = extractResult;
    this.#result.promise.catch(() => {});
  }
  push(event) {
    if (this.#ended) return;
    if (this.#isEnd(event)) {
      this.#ended = true;
      this.#result.resolve(this.#extract(event));
    }
    const next = this.#waiting.shift();
    if (next) next({ value: event, done: false });
    else this.#events.push(event);
    if (this.#ended) this.#release();
  }
  end(result) {
    this.#ended = true;
    if (result !== undefined) this.#result.resolve(result);
    this.#release();
  }
  #release() { for (const next of this.#waiting.splice(0)) next({ value: undefined, done: true }); }
  async *[Symbol.asyncIterator]() {
    for (;;) {
      if (this.#events.length) yield this.#events.shift();
      else if (this.#ended) return;
      else {
        const { value, done } = await new Promise((resolve) => this.#waiting.push(resolve));
        if (done) return;
        yield value;
      }
    }
  }
  result() { return this.#result.promise; }
}
export class AssistantMessageEventStream extends EventStream {
  constructor() {
    super((e) => e.type === "done" || e.type === "error", (e) => (e.type === "done" ? e.message : e.error));
  }
}
export const createAssistantMessageEventStream = () => new AssistantMessageEventStream();

// Keys, headers and hooks of a request stay on the host's side; what the caller
// names explicitly is passed on.
const plainOptions = ({ signal, onPayload, onResponse, ...rest } = {}) => rest;

export const complete = (model, context, options) =>
  rt.start("model.do", ["complete", [model, context, plainOptions(options)]], { signal: options?.signal });
export const completeSimple = complete;

export function stream(model, context, options) {
  const s = createAssistantMessageEventStream();
  complete(model, context, options).then((message) => {
    s.push({ type: "start", partial: message });
    const failed = message.stopReason === "error" || message.stopReason === "aborted";
    s.push(failed ? { type: "error", reason: message.stopReason, error: message } : { type: "done", reason: message.stopReason, message });
  }, (e) => {
    const error = {
      role: "assistant", content: [], api: model.api, provider: model.provider, model: model.id, timestamp: Date.now(),
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
      stopReason: options?.signal?.aborted ? "aborted" : "error", errorMessage: e.message,
    };
    s.push({ type: "error", reason: error.stopReason, error });
  });
  return s;
}
export const streamSimple = stream;

const models = () => rt.ask("model.get", "getAll", []) ?? [];
export const getModel = (provider, id) => rt.ask("model.get", "find", [provider, id]) ?? undefined;
export const getModels = (provider) => models().filter((m) => m.provider === provider);
export const getProviders = () => [...new Set(models().map((m) => m.provider))];
export const supportsXhigh = () => false;
export const modelsAreEqual = (a, b) => !!a && !!b && a.id === b.id && a.provider === b.provider;

export function calculateCost(model, usage) {
  const c = usage.cost ??= {};
  for (const part of ["input", "output", "cacheRead", "cacheWrite"]) c[part] = ((model.cost?.[part] ?? 0) / 1e6) * (usage[part] ?? 0);
  c.total = c.input + c.output + c.cacheRead + c.cacheWrite;
  return c;
}

export const isContextOverflow = (message, contextWindow) =>
  (message.stopReason === "error" && /context|too long|maximum.*tokens|exceed/i.test(message.errorMessage ?? ""))
  || (contextWindow > 0 && (message.usage?.input ?? 0) + (message.usage?.cacheRead ?? 0) > contextWindow);

export function validateToolArguments(tool, call) {
  const list = problems(tool.parameters, call.arguments);
  if (list) throw new Error(`Validation failed for tool "${call.name}":${list}`);
  return call.arguments;
}
export function validateToolCall(tools, call) {
  const tool = tools.find((t) => t.name === call.name);
  if (!tool) throw new Error(`Tool "${call.name}" not found`);
  return validateToolArguments(tool, call);
}

export function parseStreamingJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

// Providers run inside the host.
const unsupported = (name) => () => { throw new rt.UnsupportedError("pi-ai." + name); };
export const registerApiProvider = unsupported("registerApiProvider");
export const unregisterApiProviders = unsupported("unregisterApiProviders");
export const getApiProvider = unsupported("getApiProvider");
export const streamAnthropic = unsupported("streamAnthropic");
export const streamSimpleAnthropic = unsupported("streamSimpleAnthropic");
export const streamOpenAIResponses = unsupported("streamOpenAIResponses");
export const streamSimpleOpenAIResponses = unsupported("streamSimpleOpenAIResponses");
export const streamOpenAICompletions = unsupported("streamOpenAICompletions");
export const streamSimpleOpenAICompletions = unsupported("streamSimpleOpenAICompletions");
export const getEnvApiKey = () => undefined;

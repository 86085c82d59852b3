// Boundaries are where a turn or a prompt ends. What a handler answers there, the entries
// that it adds and whether the agent goes on, the module does itself.
const boundaries = { turn_end: true, agent_before_settle: true };

// openBoundary gives an event what there is at a boundary.
function openBoundary(ev) {
  let context;
  ev.entries = [];
  ev.continue = false;
  defineProperty(ev, "context", { get: () => (context ??= boundaryContext(ev.outcome)), configurable: true, enumerable: true });
}

function boundaryContext(outcome) {
  const { entries, messages } = sessionManager.buildSessionProjection();
  const llmMessages = loadPackage("agent").convertToLlm(messages);
  const last = outcome === "completed" ? llmMessages.at(-1)?.role : "assistant"; // else it is the answer that failed
  return {
    contextEntries: entries, contextMessages: messages, llmMessages, pendingMessages: [],
    canContinue: last !== undefined && last !== "assistant" || contextMethods.hasPendingMessages(),
  };
}

function closeBoundary(answer, goesOn) {
  const as = answer?.continue ? "steer" : "entry", entries = answer?.entries;
  for (const e of isArray(entries) ? entries : []) {
    if (e?.type === "custom") ask("message.entry", String(e.customType), e.data ?? null);
    else if (e?.type === "custom_message") {
      ask("message.send", { customType: e.customType, content: e.content ?? "", display: e.display ?? true, details: e.details ?? null }, { triggerTurn: false, as });
    } else throw new UnsupportedError(`an entry of the type "${e?.type}" that a turn ends with`);
  }
  if (answer?.continue && !goesOn() && !(isArray(entries) && entries.some((e) => e?.type === "custom_message"))) {
    throw new Error("the agent cannot go on: the model has said the last word, and no message is added");
  }
  return "";
}

// settles tells whether the agent is about to be done: it was not interrupted, and
// nothing waits that it goes on with.
const settles = (ev) => ev.outcome !== "aborted" && !contextMethods.hasPendingMessages();

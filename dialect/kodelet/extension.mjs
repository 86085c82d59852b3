// NAMES are kodelet's names of the events that executables had others for.
const NAMES = {
  before_tool_call: "tool.call",
  after_tool_call: "tool.result",
  user_message_send: "user.message",
  agent_stop: "agent.end",
}

// handle puts an event to the hooks in the words of an executable, and answers it.
async function handle({ event, context, payload }) {
  const { tool, message, messages } = payload
  const cwd = context.cwd ?? process.env.KODELET_EXTENSION_WORKSPACE_CWD
  const name = Object.keys(NAMES).find((key) => NAMES[key] === event)
  try {
    const answer = await ask(name, cwd, {
      event: name, conv_id: context.conversationId ?? context.sessionId, cwd, invoked_by: context.invokedBy, recipe_name: context.recipeName,
      tool_name: tool?.name, tool_input: tool?.input, tool_output: tool?.output, tool_user_id: tool?.callId, message, messages,
    })
    const { blocked, reason, input, output, follow_up_messages: followUpMessages } = answer ?? {}
    return { block: blocked ? { reason } : undefined, input, output, followUpMessages }
  } catch (e) {
    if (tool?.output) return { output: { ...tool.output, success: false, error: e.message, metadata: undefined } }
    console.error(e.message)
    return { block: { reason: e.message } }
  }
}

// answer says what kodelet is told of a request.
async function answer({ method, params }) {
  if (method === "extension.initialize") {
    return { result: { name: "hookline", subscriptions: EVENTS.map((name) => ({ event: NAMES[name], timeoutInSec: 600 })) } }
  }
  if (method === "extension.event.handle") return { result: await handle(params) }
  return { error: { code: -32601, message: `there is no ${method} here` } }
}

async function reply(request) {
  if (request.id === undefined) return
  const text = JSON.stringify({ jsonrpc: "2.0", id: request.id, ...(await answer(request)) })
  process.stdout.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
}

let heard = Buffer.alloc(0)
process.stdin.on("data", (chunk) => {
  heard = Buffer.concat([heard, chunk])
  for (;;) {
    const begin = heard.indexOf("\r\n\r\n") + 4
    const end = begin + Number(/content-length: *(\d+)/i.exec(heard.toString("latin1", 0, begin))?.[1])
    if (begin < 4 || heard.length < end) return
    reply(JSON.parse(heard.toString("utf8", begin, end)))
    heard = heard.subarray(end)
  }
})

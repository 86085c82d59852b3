export default function (pi) {
  let answered // what hooks said of the prompt, where the event before the turn asked already
  let refused // why the prompt was refused
  let kept = false // a hook has kept the agent going since the person spoke
  let ours = false // the next prompt is a hook's

  const put = async (event, ctx, payload) => {
    const session = ctx.sessionManager
    const sessionID = session?.getSessionId?.()
    return (await ask(event, ctx.cwd, { event, directory: ctx.cwd, sessionID, file: session?.getSessionFile?.(), ...payload })) ?? {}
  }

  // prompt asks about a prompt. One that cannot be kept from the model any more gets no tools.
  async function prompt(text, ctx) {
    if (!ours) kept = false
    ours = false
    refused = undefined
    const answer = await put("input", ctx, { prompt: text }).catch((e) => ({ deny: e.message }))
    refused = answer.deny
    if (refused) ctx.ui?.notify?.(`A hook refused the prompt: ${refused}`, "error")
    return answer
  }

  pi.on("input", async (event, ctx) => {
    answered = await prompt(event.text, ctx)
    if (answered.deny) return { action: "handled" }
  })

  pi.on("before_agent_start", async (event, ctx) => {
    const answer = answered ?? (await prompt(event.prompt, ctx))
    answered = undefined
    const content = answer.deny ? `A hook refused this prompt, do not act on it: ${answer.deny}` : answer.context
    if (content) return { message: { customType: "hookline", content, display: true } }
  })

  pi.on("tool_call", async (event, ctx) => {
    if (refused) return { block: true, reason: refused }
    const { toolName: tool, toolCallId: callID, input } = event
    const answer = await put("tool_call", ctx, { tool, callID, args: input })
    if (answer.deny) return { block: true, reason: answer.deny }
    if (!answer.args) return
    for (const key of Object.keys(input)) if (!(key in answer.args)) delete input[key]
    Object.assign(input, answer.args)
  })

  pi.on("tool_result", async (event, ctx) => {
    const { toolName: tool, toolCallId: callID, input: args, content, isError } = event
    const text = content.filter((c) => c.type === "text").map((c) => c.text).join("\n")
    const answer = await put("tool_result", ctx, { tool, callID, args, [isError ? "error" : "output"]: text }).catch((e) => ({ output: e.message }))
    if (answer.output === undefined && !answer.context) return
    const shown = answer.output === undefined ? content : [{ type: "text", text: answer.output }]
    return { content: answer.context ? [...shown, { type: "text", text: answer.context }] : shown }
  })

  pi.on("agent_end", async (_, ctx) => {
    const answer = await put("agent_end", ctx, { active: kept })
    kept = ours = Boolean(answer.continue)
    if (answer.continue) pi.sendUserMessage(answer.continue, { deliverAs: "followUp" })
  })

  pi.on("session_before_compact", async (_, ctx) => ((await put("session_before_compact", ctx)).deny ? { cancel: true } : undefined))
  for (const name of ["session_start", "session_compact", "session_shutdown"]) pi.on(name, async (_, ctx) => void (await put(name, ctx)))
}

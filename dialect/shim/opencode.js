// replace gives an object, which others hold, the members of another one.
function replace(object, members) {
  for (const key of Object.keys(object)) if (!(key in members)) delete object[key]
  Object.assign(object, members)
}

export const Hookline = async ({ client, directory }) => {
  const put = async (event, payload) => (await ask(event, directory, { event, directory, ...payload })) ?? {}
  const kept = new Set() // sessions that a hook has kept going since the person spoke
  const ours = new Set() // sessions of which the next message is a hook's
  const children = new Set() // sessions of subagents

  // stop asks whether a session may rest, and goes on with what hooks say otherwise.
  async function stop(sessionID) {
    const answer = await put("session.idle", { sessionID, active: kept.has(sessionID) })
    if (!answer.continue) return kept.delete(sessionID)
    kept.add(sessionID)
    ours.add(sessionID)
    await client.session.prompt({ path: { id: sessionID }, body: { parts: [{ type: "text", text: answer.continue }] } })
  }

  return {
    event: async ({ event: { type, properties } }) => {
      const sessionID = properties?.sessionID ?? properties?.info?.id
      if (type === "session.created" && properties.info?.parentID) children.add(sessionID)
      if (!sessionID || children.has(sessionID)) return
      try {
        if (type === "session.idle") await stop(sessionID)
        if (type === "session.created" || type === "session.deleted" || type === "session.compacted") await put(type, { sessionID })
        if (type === "session.error") await put(type, { sessionID, error: properties.error })
      } catch (e) {
        await client.app.log({ body: { service: "hookline", level: "error", message: e.message } })
      }
    },

    "chat.message": async ({ sessionID }, { message, parts }) => {
      if (children.has(sessionID)) return
      if (!ours.delete(sessionID)) kept.delete(sessionID)
      const prompt = parts.filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text).join("\n")
      const answer = await put("chat.message", { sessionID, prompt })
      if (answer.deny) throw new Error(answer.deny)
      if (answer.context) {
        const id = `prt_zzz${Date.now().toString(36)}`
        parts.push({ id, sessionID, messageID: message.id, type: "text", text: answer.context, synthetic: true })
      }
    },

    "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
      const answer = await put("tool.execute.before", { sessionID, callID, tool, args: output.args })
      if (answer.deny) throw new Error(answer.deny)
      if (answer.args) replace(output.args, answer.args)
    },

    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      const answer = await put("tool.execute.after", { sessionID, callID, tool, args, output: output.output })
      if (answer.output !== undefined) output.output = answer.output
      if (answer.context) output.output += `\n\n${answer.context}`
    },
  }
}

// Messages of the agent as messages for a model, and as text.

const textOf = (content) => (typeof content === "string" ? content
  : (content ?? []).filter((b) => b.type === "text").map((b) => b.text).join("\n"));
const blocks = (content) => (typeof content === "string" ? [{ type: "text", text: content }] : content);
const asUser = (text, timestamp) => ({ role: "user", content: [{ type: "text", text }], timestamp });

const compactionHead = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n";
const branchHead = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n";

export function bashExecutionToText(m) {
  let text = `Ran \`${m.command}\`\n` + (m.output ? "```\n" + m.output + "\n```" : "(no output)");
  if (m.cancelled) text += "\n\n(command cancelled)";
  else if (m.exitCode) text += `\n\nCommand exited with code ${m.exitCode}`;
  if (m.truncated && m.fullOutputPath) text += `\n\n[Output truncated. Full output: ${m.fullOutputPath}]`;
  return text;
}

export function convertToLlm(messages) {
  return messages.flatMap((m) => {
    switch (m.role) {
      case "user": case "assistant": case "toolResult": return [m];
      case "custom": case "hookMessage": return [{ role: "user", content: blocks(m.content), timestamp: m.timestamp }];
      case "bashExecution": return m.excludeFromContext ? [] : [asUser(bashExecutionToText(m), m.timestamp)];
      case "compactionSummary": return [asUser(compactionHead + m.summary + "\n</summary>", m.timestamp)];
      case "branchSummary": return [asUser(branchHead + m.summary + "</summary>", m.timestamp)];
      default: return [];
    }
  });
}

export function serializeConversation(messages) {
  const parts = [];
  for (const m of messages) {
    if (m.role === "user") {
      const text = textOf(m.content);
      if (text) parts.push(`[User]: ${text}`);
    } else if (m.role === "assistant") {
      const of = (type) => m.content.filter((b) => b.type === type);
      const thinking = of("thinking").map((b) => b.thinking).join("\n"), text = of("text").map((b) => b.text).join("\n");
      const calls = of("toolCall").map((b) => `${b.name}(${Object.entries(b.arguments ?? {}).map(([k, v]) => `${k}=${JSON.stringify(v)}`).join(", ")})`);
      if (thinking) parts.push(`[Assistant thinking]: ${thinking}`);
      if (text) parts.push(`[Assistant]: ${text}`);
      if (calls.length) parts.push(`[Assistant tool calls]: ${calls.join("; ")}`);
    } else if (m.role === "toolResult") {
      const text = textOf(m.content);
      if (text) parts.push(`[Tool result]: ${text}`);
    }
  }
  return parts.join("\n\n");
}

export function estimateTokens(m) {
  return Math.ceil(JSON.stringify(m.content ?? m.summary ?? m.output ?? "").length / 4);
}
export const calculateContextTokens = (u) => u.totalTokens || (u.input ?? 0) + (u.output ?? 0) + (u.cacheRead ?? 0) + (u.cacheWrite ?? 0);

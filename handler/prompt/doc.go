// Package prompt runs hooks that are questions to a model, work for a subagent, or
// calls of a tool of an MCP server. What a model and a server are is up to the
// agent, which implements [Model] and [MCP]; without them these hooks fail and
// count by their failure policy.
//
// A model answers with a JSON object: {"ok":true} lets things go on as they would,
// and {"ok":false,"reason":"..."} is a refusal with its reason. Whatever else a
// model says is a failure and neither consent nor refusal.
package prompt

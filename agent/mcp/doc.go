// Package mcp connects the agent to MCP servers: programs that speak over
// their standard input and output, and servers reached by HTTP.
//
// Servers are described in .mcp.json files, which [ParseConfig] reads. A
// [Manager] starts those that [Options.Trusted] approves, and nothing of the
// others. It keeps them connected, and offers their tools as
// mcp__server__tool.
//
// A server may be dead, hang, or never have been a server: every step has a
// deadline, and nothing waits longer than that.
package mcp

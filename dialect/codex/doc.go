// Package codex is the dialect of OpenAI's Codex: its payloads, which are the canonical
// ones with a few members of its own, its answers, of which an unknown member voids the
// whole, its hooks.json, and its patches, which are one tool call for each file.
package codex

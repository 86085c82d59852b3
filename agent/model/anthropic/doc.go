// Package anthropic calls models through the Anthropic Messages API, or
// through a server that speaks it.
package anthropic

// Package pi is the dialect of script modules: TypeScript and JavaScript files
// that register event handlers, commands and tools with the object they are
// given. It serves the modules of two sibling projects, which spell most things
// the same; package script tells them apart by their text.
//
// # Order and conflicts
//
// The engine's groups carry the rules. Registrations puts each handler into the
// group its event belongs to:
//
//   - tool_call and session_before_*: deny-fast. The first block or cancel ends
//     the event. A tool_call handler that fails counts as a block.
//   - everything else: sequential. context and before_provider_request chain,
//     of before_agent_start the first message is kept, of tool_result and
//     session.compacting the last answer wins.
//
// Handlers of tool_result all see the tool's own result in one family and the
// result as earlier handlers left it in the other.
//
// # Both directions
//
// Codec runs a module's handler in our agent; DecodeInput and EncodeOutcome
// stand behind a host of this dialect.
package pi

// Package hooktest holds conformance tests, in the manner of testing/slogtest:
// somebody who writes a kind of hook, a dialect or an agent that hosts hooks runs
// them against it and learns which named rule it breaks, and why that rule is
// there.
//
//   - TestKind is for a kind of hook: anything that implements hook.Handler.
//   - TestHost is for an agent that embeds the engine.
//   - TestCodec is for a dialect, by round trip.
package hooktest

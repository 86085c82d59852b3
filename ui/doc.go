// Package ui is how hooks and the agent talk to a person. [UI] is the one
// interface; its implementations here are
//
//   - [None]: nobody is there,
//   - [Plain]: a terminal, line by line, also fit for screen readers and logs,
//   - [RPC]: another program asks the person, over lines of JSON,
//   - [Recorder]: answers as a test says, and remembers what it was asked.
//
// [Status] keeps the status texts that hooks set. Package clean, below this
// one, makes text safe to show.
package ui

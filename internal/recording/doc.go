// Package recording keeps what agents sent their hooks, with secrets replaced: the payloads
// as they came, to compare with what is known of an agent, and to fire again.
//
// A session has a file for each day, of one JSON object a line. Nobody but the person may
// read them, and they go after thirty days, or when there are too many of them.
package recording

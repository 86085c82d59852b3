// Package worker runs hooks in a process that stays: it is started once, says
// which events it wants, and then answers one call after another over its pipes.
// A call costs two small writes instead of the start of an interpreter.
//
// [Start] starts a worker and waits for its hello; [Worker.Handler] gives the
// handler of each hook that it asked for. The protocol that the two sides speak is
// a [Wire]; the default is [Lines], JSON values one a line, which is written down
// in docs/worker-protocol.md.
//
// # What a worker cannot do
//
//  1. It cannot hold up an event: a call that is out of time is cancelled and
//     left. A worker that then stays silent for [Spec.CancelGrace] is replaced;
//     other calls that it is working on are waited for.
//  2. It cannot turn its guard off by dying. Its hooks stay registered; while it is
//     down, their calls are failures, and the failure policy of each decides. It is
//     started again at the next call, after a back-off that doubles.
//  3. It cannot answer for others, twice, or in words that the protocol does not
//     have: a message that cannot be read or belongs to no call ends the process, and
//     what it was working on has failed.
//  4. It cannot go on with old code: when the content of one of [Spec.Files] has
//     changed, the next call goes to a new process.
//  5. It cannot outlive [Worker.Close], nor can its children.
package worker

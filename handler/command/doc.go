// Package command runs hooks that are commands: a line for a shell, or a program
// with its arguments.
//
// The event goes to the command's standard input, in the spelling of the hook's
// codec, followed by end of file; the codec reads the exit code and the output.
// The package adds what makes this dependable: a process group that is ended as a
// whole, bounded output, a working directory that exists, an environment without
// credentials, and a record that says which shell ran the hook and what went
// wrong with it.
//
// Values reach a shell only through the environment and are never spliced into
// the line, so that no value can become code. In the exec form no shell is
// involved, and ${NAME} in an argument is replaced from [Hook.Vars].
//
// # Going on in the background
//
// When the codec is a handler.AsyncCodec and the first line of the output says
// so, Handle returns while the process runs on, and the rest of its output is the
// late answer. Nothing is started a second time.
//
// # Prewarming
//
// With [Hook.Prewarm] the process of the next event is started ahead of it, so that its
// interpreter has booted when the event comes, and gets its input then. Each process
// still serves one event. It is used only when the event would have started it just so:
// by the same command, in the same directory, with the same environment, from
// [Hook.WarmFiles] that have not changed, and as long as it has neither ended nor
// printed anything; otherwise it is thrown away and the event starts its own. The record
// says which. HOOK_DEADLINE_MS, TRACEPARENT and TRACESTATE differ from event to event: a
// process that was started ahead does without them.
//
// What a script does before it reads its input is as old as the start of its process,
// and happens once more than there are events: prewarm scripts that read their input
// first. One that is seen not to wait for its input is soon no longer started ahead.
package command

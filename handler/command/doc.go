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
package command

// Package builtin runs shell scripts in this process.
//
// [Parse] reads a script and looks through it: what the interpreter is not known to do
// exactly as bash and dash do is an [*UnsupportedError] before anything has run, and the
// script is one for a real shell. [Program.Run] runs it with the bounds of a process and
// gives its end in the same form: deadline and cancellation between any two commands,
// capped output, an environment, a directory and a standard input of its own, and no
// state that outlives the run.
//
// The commands jq and cat run in this process too, when they are called in a way in
// which they answer as the real ones do; all others are started, each with its tree ended
// when the run ends. Scripts of sh and bash that a script calls run here as well, if they
// can.
//
// docs/builtin-shell.md says what the language is. A script cannot crash this process, but
// it shares its memory: one that occupies more than [DefaultMemory] is ended.
package builtin

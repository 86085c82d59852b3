// Package builtin runs shell scripts in this process.
//
// [Parse] reads a script and looks through it: what the interpreter cannot do exactly
// as a shell does, such as jobs in the background or signals, is an
// [*UnsupportedError] before anything has run, and the script is one for a real shell.
// [Program.Run] runs it with the bounds of a process and gives its end in the same
// form: deadline and cancellation between any two commands, capped output, an
// environment, a directory and a standard input of its own, and no state that outlives
// the run.
//
// Commands that scripts for hooks use all the time (jq, cat, grep, head, tail, cut, tr,
// wc, basename, dirname, sleep) run in this process too, when they are called with
// options that are known here; all others are started, each with its tree ended when
// the run ends. Scripts of sh and bash that a script calls run here as well, if they
// can.
//
// # Differences
//
// docs/builtin-shell.md lists them, and a test asserts each: some errors of the shell
// itself have other exit codes and wordings, and without a real jq to leave them to,
// objects are printed with their keys in the order of the alphabet.
//
// A script cannot crash this process, but it shares its memory: one that occupies more
// than [DefaultMemory] is ended.
package builtin

// Package shell says what a piece of shell text would run, without running
// any of it.
//
// [Analyze] parses the text with a real shell parser and lists every simple
// command in it, wherever it stands: in lists and pipelines, subshells, loops,
// conditions and function bodies, in command and process substitutions, in
// here-documents. A command that exists to start another one (sudo, env,
// timeout, xargs, find -exec, bash -c, eval and their like) is listed with what
// it starts below it.
//
// What a command only may start, by a setting or an option that is not read in full,
// is kept apart for those who forbid: [Command.Maybe].
//
// The package is made for decisions about permission, so it never guesses. A
// word that the shell computes is not literal; a place where the commands can't
// be known is marked uncertain; text that doesn't parse, or that two shells
// would read differently, says so. Work is bounded: text over [MaxText] bytes
// isn't looked at.
package shell

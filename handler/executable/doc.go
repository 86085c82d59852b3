// Package executable runs hooks that are programs with two verbs: "hook" prints
// the type of event that the program is for, and "run" answers one event, which
// it gets as JSON on standard input, with JSON on standard output.
//
// [Types] asks programs for their type, a few at a time, and remembers the
// answers by content in a small file, so that an unchanged program is not started
// again. [Hook] runs the second verb.
//
// # Trust
//
// Nothing is executed that a Trusted function has not let through by the path and
// the digest of the content; without such a function nothing is. A program is
// looked at again before each run and after it, and the answer of one that was
// replaced in between does not count. What else a program reads, such
// as a helper module beside it, is for the caller to check.
package executable

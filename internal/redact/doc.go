// Package redact takes secrets out of text before it is stored.
//
// Two things are looked for: the exact values of variables of the environment
// whose names say that they hold a secret, and text that has the form of a known
// kind of secret or is assigned to a name that says so. What is found is replaced
// by a marker such as [redacted:github-token]. Text that merely looks random, such
// as a commit id, a checksum of a lock file or an encoded image, is left alone.
//
// Redacting twice gives the same as redacting once. No pattern backtracks: time is
// linear in the length of the text.
package redact

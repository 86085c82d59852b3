// Package dialect holds the dialects in which hooks are written. Each subpackage
// is a codec in both directions (what its hooks are given, what their answers
// mean, what a foreign host sends, what that host understands as an answer), the
// formats of its files, and the names of its tools. Nothing else in the program
// knows how a dialect spells things.
package dialect

// Package diag holds diagnostics: faults and remarks about the files that people
// write, each with its place, what is wrong there and what to do about it.
package diag

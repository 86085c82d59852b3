// Package soak holds a long run of well-behaved and hostile hooks, which proves that
// nothing is lost and nothing is left: 'make soak'. It is not part of CI.
package soak

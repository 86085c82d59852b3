// Package handler holds what the handlers of hooks that run outside the program
// have in common: the codec by which a dialect tells a handler what to send and
// how to read the answer. The handlers themselves are its subpackages.
package handler

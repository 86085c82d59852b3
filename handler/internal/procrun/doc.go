// Package procrun runs one hook as a child process: it encodes the event, starts
// the program, lets it go on in the background when it says so, decodes what it
// answered and fills in the run's record. The packages command and executable
// differ only in what they start.
package procrun

// Package oracle judges a dialect by the program that it comes from. A case is played
// under that program and under ours, with the same settings, the same hooks and the same
// scripted model on loopback; what hooks received, what the model was sent, what the
// caller got and what is left in the project is compared, fact by fact. A difference is
// mended or declared with its reason; one that is neither fails.
//
// The comparison runs by hand ('make oracle'), since it installs programs of others. No
// text of theirs is kept: cases and declared differences are ours, everything else lies
// in a cache directory.
package oracle

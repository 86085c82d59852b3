// Package refs finds the files that a command would run, without running
// anything: the script that a shell command names, what an interpreter is given,
// what those scripts source and import in turn, as far as names are written out.
//
// What is found is what an approval of the command has to cover. What could not be
// seen through, such as a name that is computed or a package that is downloaded,
// is said in words for the person who approves.
//
// Work is bounded: so many files, so many bytes, so deep.
package refs

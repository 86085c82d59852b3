// Package stamp tells whether files are still what they were.
//
// A [Set] is taken of files and asked later. Two looks at a file agree when size,
// inode and the times of change and modification do: whoever changed a file and
// changed it back is noticed too. Where those cannot tell, since the system keeps no
// time of change or it is too young to rule out a second change in the same tick, the
// content is compared as well.
package stamp

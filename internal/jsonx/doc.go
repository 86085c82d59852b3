// Package jsonx reads JSON that people write by hand into a small tree whose
// every value knows its line, its column and its JSON pointer, so that a reader
// can refuse one wrong value and point at it; [Edit] changes such a text and keeps its
// comments and layout.
//
// Comments and trailing commas are accepted, as is a byte order mark. Invalid
// UTF-8, text in UTF-16, nesting deeper than 200 and more than [MaxValues]
// values are errors. A key that an object has twice is not an error of the text:
// the object lists it in Duplicates, since its reader knows better what to give up.
package jsonx

// Package frontmatter reads Markdown files that may start with a YAML header
// between two "---" lines.
//
// [Split] separates the header from the body; [Doc.Decode] turns the header
// into a [Value], a small read-only tree in which every value knows its line
// and column in the file, so that a caller can refuse a wrong value with an
// error that points at it ([Value.Errorf]).
//
// The reader is strict where laxness hides mistakes and bounded everywhere: a
// key given twice, a header that is never closed, invalid UTF-8, UTF-16 text,
// more than [MaxHeader] bytes of header, values nested deeper than 32 levels
// or expanding (by YAML aliases) to more than 10,000 values are errors. A
// byte order mark and CRLF line ends are accepted.
package frontmatter

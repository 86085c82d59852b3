// Package clean makes text safe to show on a terminal. Whatever comes from a
// hook, a model, a plugin, a file name or a process goes through it on the way
// to a terminal or a log that people read.
//
// What is done with each kind of character:
//
//   - newlines stay in [Text] and become spaces in [Line]; tabs likewise; a
//     carriage return counts as a newline, so that it overwrites nothing,
//   - SGR sequences (colours, bold) stay and are closed at the end, but for
//     "conceal", which hides text; [PlainText] and [PlainLine] remove them,
//   - every other escape sequence goes, with the text inside it: cursor
//     movement, titles, hyperlinks, clipboard access, in 7-bit and 8-bit form,
//   - other control characters go,
//   - embeddings, overrides and isolates of the bidirectional algorithm go,
//   - invisible characters become visible, as in \u{200B}, except where they
//     belong to an emoji,
//   - bytes that are not UTF-8 become U+FFFD.
//
// All functions are idempotent.
//
// Removing is wrong where a person decides on what they see: a command that
// holds an escape sequence is run with what is inside it. [Prompt] is for such
// text. It removes colours and shows the rest as escapes. Where two texts that
// differ must look different, such as names and paths, [Exact] shows colours too.
package clean

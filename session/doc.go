// Package session keeps conversations: append-only trees of entries, one file
// of JSON lines each.
//
// The first line of a file is its header: version, id, working directory, time,
// and the session that it was branched from. Every other line is one [Entry]
// with the id of its parent, so that the file holds a tree. The leaf is the entry
// at which the conversation stands; appending makes a child of the leaf the new
// leaf. Moving the leaf, naming an entry and delivering pending context are
// entries too: nothing in a file is ever changed.
//
// # What survives
//
// One append is one write of one line. After [Session.Sync], which belongs at
// the end of a turn, everything appended survives a power cut; without it,
// everything appended survives the end of the process, by kill -9 too. A line that
// was cut off at the end of the file is dropped when the file is opened, with a
// warning. Any other damage is an error that names the line.
//
// One process writes a session at a time. A second one is told who holds it
// ([LockedError]) and may open it read-only.
//
// # Large sessions
//
// Opening reads ids, parents and types; what an entry holds is read when it is
// asked for. Appending doesn't depend on the length of the session.
package session

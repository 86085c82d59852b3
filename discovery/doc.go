// Package discovery finds hooks of every dialect, on four levels and in plugins. It
// decides which of them are in force (disabling, approval, what changed during a
// session), puts those into a registry of package hook, and reports everything that is
// not in force with the reason. Where a dialect's files are, and what they register, is
// the dialect's business: see dialect.Finder.
//
// Finding a hook never runs anything of it unless its trust.Gate has allowed it.
package discovery

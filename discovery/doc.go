// Package discovery finds hooks: settings files of the claude dialect, executables
// of the kodelet dialect, script modules of the pi dialect, on four levels and in
// plugins. It decides which of them are in force (shadowing, disabling, approval),
// turns those into registrations of package hook, and reports everything that is
// not in force with the reason.
//
// Finding a hook never runs anything of it unless its trust.Gate has allowed it.
package discovery

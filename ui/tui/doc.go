// Package tui is the agent on a full screen of a terminal: the conversation, a line to
// write on, what hooks do, and the questions of the agent and of hooks.
//
// An [App] is a [ui.UI] from when it is made, so that an agent can be made with it.
// [App.Run] takes the terminal, opens the agent and gives the terminal back. What others
// want to show is put into a mailbox and never waits for the terminal; one goroutine,
// bubbletea's, owns all that is on the screen. Text of others is cleaned (ui/clean)
// before it is laid out.
package tui

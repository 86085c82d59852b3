// Package plugin installs plugins: repositories that carry skills, recipes,
// hooks and tools. It keeps them where agents look for them and knows at any
// time what it put there.
//
// A plugin is a git repository or a local directory with any of
//
//	skills/<name>/SKILL.md
//	recipes/**/*.md
//	hooks/<executable>
//	tools/<executable>
//
// or with the layout of a Claude Code plugin (.claude-plugin/plugin.json,
// hooks/hooks.json, commands/, agents/, skills/). It is installed as a
// directory org@repo below .hookline/plugins of a project or of the user's home
// directory, or below .kodelet/plugins. Its name is org/repo.
//
// # What a Store promises
//
//   - Nothing of a plugin is executed, by an install or by anything else here.
//   - A plugin with a link that leads out of it, a submodule, a device, a name
//     that could escape or deceive, or more or larger files than allowed is
//     refused with a [RefusedError], and nothing of it stays.
//   - Files are gathered in a staging directory, checked, digested and flushed,
//     then swapped in by a rename. Whenever the program dies, the old version
//     or the new one is there, whole; the next operation tidies up.
//   - One operation at a time changes a store, over all processes. Others wait
//     as long as their context lets them.
//   - plugins.lock, a JSON file beside the plugins directory, records for every
//     plugin its source, ref, commit and the SHA-256 of every file.
//
// Errors that callers branch on are typed. Everything that is passed over while
// reading is reported as a [diag.Diagnostic].
package plugin

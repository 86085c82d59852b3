// Package hookenv keeps what hooks put into the environment of later shell commands:
// hooks that open a session, or hear of another directory, append lines such as
//
//	export PATH="$PATH:/opt/tools/bin"
//
// to a file that they are told of, and each later command of the session begins with
// these lines.
//
// [Env.File] is what such a hook is told of, [Env.Record] takes over what it wrote,
// and [Env.Files] is what a shell reads. The engine gets the Env as a recorder, the
// loader of hooks its File, and the tool that runs commands its Files.
package hookenv

// Package gitcmd fetches files out of git repositories that nobody vouches
// for, with the git program that the user's credentials and proxies are set
// up for.
//
// Nothing is ever checked out: [Repo.Fetch] brings one commit into a bare
// scratch repository, [Repo.Tree] lists it and [Repo.Blobs] reads file
// contents as they are stored. So no filter, attribute, hook, submodule or
// symlink of the repository has an effect on this machine.
//
// Every run of git has
//   - an environment without GIT_* and askpass variables of the caller, no
//     terminal, and prompting off;
//   - an allow-list of transports that no configuration can widen: https and
//     ssh for a network address, file only for a file address, http only for a
//     loopback address. Remote helpers (ext::) never run;
//   - hooks, templates, submodules, bundles and background maintenance off;
//   - the user's own configuration (credential helpers, proxies, insteadOf),
//     but none of the directory the program was started in;
//   - options before, and "--end-of-options" in front of, what a person wrote;
//   - a deadline, a cap on what is downloaded, and a process group of its own
//     that is killed when the context ends.
//
// Git 2.30 or newer is needed.
//
// Addresses with credentials in them are refused by [ParseURL], so none can be
// stored or logged.
//
// # A person's own repository
//
// A [Checkout] is the other case: git in a directory that a person works in, with
// that repository's configuration, filters included. Its hooks and monitors stay
// off all the same, and nothing asks at a terminal.
package gitcmd

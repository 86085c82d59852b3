package toolrule

import (
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/shell"
)

// writers are the commands whose operands are files that they change.
var writers = []string{
	"tee", "rm", "rmdir", "unlink", "shred", "mv", "cp", "ln", "link", "install", "touch", "mkdir", "truncate", "chmod",
	"chown", "chgrp", "dd", "rsync", "sponge", "patch", "ed", "ex", "vi", "vim", "nano", "emacs", "mkfifo", "split", "csplit",
	"setfacl", "chattr", "gzip", "gunzip", "bzip2", "xz", "unzip", "tar", "wget", "curl", "scp",
}

// openers are the commands whose operands are files that they read, so that one that is
// computed may be any file.
var openers = []string{
	"cat", "tac", "nl", "head", "tail", "less", "more", "bat", "grep", "egrep", "fgrep", "rg", "sed", "awk", "gawk", "cut", "sort", "uniq", "paste", "join", "comm",
	"diff", "cmp", "od", "xxd", "hexdump", "strings", "base64", "rev", "fold", "jq", "yq", "source", ".", "cp", "mv", "ln", "dd", "tar", "zip", "gzip", "rsync", "scp", "curl",
}

// matchFilesOf matches an Edit or Read rule with the files that a shell
// command names: redirections, and the words of commands. Read rules look at
// the words of every command, Edit rules at those of commands that change
// files.
func (r Rule) matchFilesOf(call Call) Match {
	edits := Edits(r.tool)
	best := no("no file in it matches")
	if !call.script.Parsed {
		return best // the shell rules ask already
	}
	look := func(w shell.Word, opens bool) {
		if best.Answer == Yes || w.Text == "" && w.Literal {
			return
		}
		if !w.Literal {
			if w.Glob {
				best = stronger(best, r.matchPattern(w, call))
			} else if opens {
				best = stronger(best, doubt(w.Text, "it is computed which file "+w.Text+" is"))
			}
			return
		}
		for _, p := range pathsIn(w.Text) {
			// A word that can't be resolved as a path isn't one.
			if m := r.matchesPath(p, call); m.Answer == Yes {
				best = m
			}
		}
	}
	for i := range call.script.Commands {
		call.script.Commands[i].Each(func(c *shell.Command) bool {
			for _, red := range c.Redirects {
				if red.Write && edits || red.Read && !edits {
					look(red.Path, true)
				}
			}
			if len(c.Args) > 0 && (!edits || changesFiles(c)) {
				opens := edits || slices.Contains(openers, c.Name())
				for _, w := range c.Args[1:] {
					look(w, opens)
				}
			}
			if !edits && best.Answer == No {
				best = stronger(best, r.matchSearched(c, call))
			}
			return true
		})
	}
	return best
}

// changesFiles reports whether a command changes the files it names.
func changesFiles(c *shell.Command) bool {
	name := c.Name()
	if slices.Contains(writers, name) {
		return true
	}
	inPlace := func(w shell.Word) bool {
		return w.Literal && (strings.HasPrefix(w.Text, "-i") || strings.HasPrefix(w.Text, "--in-place"))
	}
	switch name {
	case "sed", "gsed", "perl", "ruby", "yq":
		return slices.ContainsFunc(c.Args, inPlace)
	case "sort":
		return slices.ContainsFunc(c.Args, func(w shell.Word) bool {
			return w.Literal && (strings.HasPrefix(w.Text, "-o") || strings.HasPrefix(w.Text, "--output"))
		})
	case "git":
		return slices.ContainsFunc(c.Args, func(w shell.Word) bool {
			return w.Is("checkout") || w.Is("restore") || w.Is("rm") || w.Is("mv") || w.Is("apply") || w.Is("clean")
		})
	}
	return false
}

// pathsIn lists what in a word may be a path: the word, and the value of
// an option or a key (of=x, --file=x, -ox, @x).
func pathsIn(word string) []string {
	if !strings.HasPrefix(word, "-") {
		out := []string{word}
		if _, value, ok := strings.Cut(word, "="); ok && value != "" {
			out = append(out, value)
		}
		if value, ok := strings.CutPrefix(word, "@"); ok && value != "" {
			out = append(out, value)
		}
		if _, value, ok := strings.Cut(word, ":"); ok && value != "" {
			out = append(out, value) // git show HEAD:file
		}
		return out
	}
	if _, value, ok := strings.Cut(word, "="); ok && value != "" {
		return []string{value}
	}
	if len(word) > 2 && word[1] != '-' {
		return []string{word[2:]}
	}
	return nil
}

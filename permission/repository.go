package permission

import (
	"os"
	"path/filepath"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/shell"
)

// elsewhere asks about git where the command itself has moved to another repository than
// the one that the agent works in. Git runs programs that the settings of a repository
// name, and a rule that allows git speaks of the repository at hand.
func (e *evaluation) elsewhere() (Decision, bool) {
	d := Decision{Decision: hook.DecisionAsk, Basis: ByDefault}
	script := e.call.Script()
	if !script.Chdir {
		return d, false
	}
	for i := range script.Commands {
		script.Commands[i].All(func(c *shell.Command) bool {
			if c.Name() == "git" && !gitReads(c.Args[1:]) {
				d.Part = c.Source
			}
			return d.Part == ""
		})
	}
	if d.Part == "" {
		return d, false
	}
	if !e.dirsKnown {
		d.Reason = "it isn't known in which repository git runs"
		return d, true
	}
	here := e.repository(e.call.Cwd)
	for _, dir := range e.dirs {
		if there := e.repository(dir); there != here {
			d.Reason = "git runs in " + dir + ", which is in another repository, and runs what its settings say"
			return d, true
		}
	}
	return d, false
}

// repository returns the directory that git takes for the repository of a directory, or
// in which it finds it; "" when there is none. A directory that is laid out as a
// repository counts too, which a checkout can bring along.
func (e *evaluation) repository(dir string) string {
	real, err := e.call.Resolve(dir)
	if err != nil {
		return dir
	}
	for at := filepath.FromSlash(real); ; at = filepath.Dir(at) {
		if exists(at, ".git") || exists(at, "HEAD") && exists(at, "objects") && exists(at, "refs") {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

package procrun

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

// WorkDir chooses the directory that a hook works in: the event's, or the first
// of others that can be used, with a remark that says so. It is "" for this
// program's own when none was named at all. The error is a *hook.Failure.
func WorkDir(cwd string, others []string) (dir, note string, err error) {
	named := append([]string{cwd}, others...)
	if !slices.ContainsFunc(named, func(s string) bool { return s != "" }) {
		return "", "", nil
	}
	dir, i, err := process.FirstDir(named...)
	switch {
	case err != nil:
		return "", "", &hook.Failure{Kind: hook.FailureLaunch, Err: err}
	case i > 0 && cwd != "":
		_, _, why := process.FirstDir(cwd)
		note = fmt.Sprintf("%v; it ran in %s instead", why, strconv.Quote(dir))
	}
	return dir, note, nil
}

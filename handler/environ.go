package handler

import "github.com/hookline-dev/hookline/hook"

// environKey is the metadata of an input that has the environment of its call.
const environKey = "environment of the call"

// SetEnviron gives the processes that hooks start for an input variables of its call, as
// KEY=VALUE, in the place of those of the same names that the hooks were loaded with. What
// hooks may see is for the caller to choose. Processes that run already, and modules, keep
// what they were started with. It is called when the first process is started, and may be by
// several goroutines.
func SetEnviron(in hook.Input, environ func() []string) { in.Base().SetMetadata(environKey, environ) }

// EnvironOf are the variables of an input's call.
func EnvironOf(in hook.Input) []string {
	v, _ := in.Base().Metadata(environKey)
	environ, ok := v.(func() []string)
	if !ok {
		return nil
	}
	return environ()
}

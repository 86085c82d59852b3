package claude

import "github.com/hookline-dev/hookline/hook"

// Replace replaces what the handler of an entry runs.
func Replace(h, by hook.Handler) { h.(*namedHandler).Handler = by }

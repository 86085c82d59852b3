//go:build !windows

package command

// firstChoices are looked at before PATH.
func firstChoices(kind Shell) []string {
	if kind == Sh {
		return []string{"/bin/sh", "/usr/bin/sh"}
	}
	return nil
}

// lastChoices are looked at after PATH.
func lastChoices(kind Shell) []string {
	if kind == Bash {
		return []string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"}
	}
	return nil
}

func usable(Shell, string) bool { return true }

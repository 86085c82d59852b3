package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// firstChoices are looked at before PATH.
func firstChoices(Shell) []string { return nil }

// lastChoices are where Git for Windows keeps its shells, and Windows its own.
func lastChoices(kind Shell) []string {
	if kind == PowerShell {
		return []string{filepath.Join(os.Getenv("SystemRoot"), "System32", "WindowsPowerShell", "v1.0", "powershell.exe")}
	}
	var roots []string
	if git, err := exec.LookPath("git"); err == nil {
		roots = append(roots, filepath.Dir(filepath.Dir(git))) // git is in cmd or bin
	}
	for _, name := range []string{"ProgramFiles", "ProgramFiles(x86)"} {
		if dir := os.Getenv(name); dir != "" {
			roots = append(roots, filepath.Join(dir, "Git"))
		}
	}
	var out []string
	for _, root := range roots {
		out = append(out, filepath.Join(root, "bin", string(kind)+".exe"), filepath.Join(root, "usr", "bin", string(kind)+".exe"))
	}
	return out
}

// usable refuses the bash that starts a Linux distribution: it sees other paths
// and another environment.
func usable(kind Shell, path string) bool {
	return kind != Bash || !strings.Contains(strings.ToLower(path), `\system32\`) && !strings.Contains(strings.ToLower(path), `\windowsapps\`)
}

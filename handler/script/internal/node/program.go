package node

import (
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
)

// findProgram looks a program up as execvp does: by PATH of the child's own
// environment if the name has no separator. Empty and relative entries of PATH
// are skipped: they would run what lies in the working directory.
func findProgram(file, cwd string, env map[string]string) (string, error) {
	if strings.ContainsRune(file, '/') || strings.ContainsRune(file, filepath.Separator) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(cwd, file)
		}
		return executable(file, env)
	}
	failure := fs.ErrNotExist
	for _, dir := range filepath.SplitList(lookupEnv(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path, err := executable(filepath.Join(dir, file), env)
		if err == nil {
			return path, nil
		}
		if errors.Is(err, fs.ErrPermission) {
			failure = fs.ErrPermission
		}
	}
	return "", failure
}

// lookupEnv finds a variable; on Windows whatever its case.
func lookupEnv(env map[string]string, name string) string {
	if value, ok := env[name]; ok || runtime.GOOS != "windows" {
		return value
	}
	for key, value := range env {
		if strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

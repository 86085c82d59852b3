package dialect

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/diag"
)

// goSource is where the Go source of a program is, when it has one that a new hook
// is written with: src/NAME.go beside it, or the module src/NAME.
func goSource(program string) (path string, isModule bool) {
	dir := filepath.Join(filepath.Dir(program), "src")
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	if _, err := os.Stat(filepath.Join(dir, name, "go.mod")); err == nil {
		return filepath.Join(dir, name), true
	}
	return filepath.Join(dir, name+".go"), false
}

// GoBuild is the command that makes a program of its Go source. The state of the repository is not
// part of the program: its approval would end with each commit.
func GoBuild(program string) []string {
	source, isModule := goSource(program)
	if isModule {
		return []string{"go", "build", "-C", source, "-buildvcs=false", "-o", program, "."}
	}
	return []string{"go", "build", "-o", program, source}
}

// GoSources are the files that a program is built of, none for one that is not built.
func GoSources(program string) []string {
	source, _ := goSource(program)
	var out []string
	_ = filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error { // what is not there has none
		if err == nil && d.Type().IsRegular() {
			out = append(out, path)
		}
		return nil
	})
	return out
}

// StalePrograms warns of hooks whose Go source is newer than the program that runs.
func StalePrograms(hooks []Found) []diag.Diagnostic {
	var out []diag.Diagnostic
	for i := range hooks {
		if hooks[i].Path != hooks[i].Source {
			continue
		}
		program, err := os.Stat(hooks[i].Path)
		if err != nil {
			continue
		}
		for _, path := range GoSources(hooks[i].Path) {
			if source, err := os.Stat(path); err == nil && source.ModTime().After(program.ModTime()) {
				out = append(out, diag.Diagnostic{
					Severity: diag.Warning, Path: path, Message: "it is newer than the program that runs, " + hooks[i].Path,
					Remedy: "build it: " + strings.Join(GoBuild(hooks[i].Path), " ") + "; 'hookline dev' does at each save",
				})
				break
			}
		}
	}
	return out
}

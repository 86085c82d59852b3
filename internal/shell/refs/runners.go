package refs

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/codedir"
	"github.com/hookline-dev/hookline/internal/shell"
)

// runner says what cannot be seen through of programs that find what they run by
// themselves; it reports whether the name is one.
func (r *reader) runner(name string, args []shell.Word) bool {
	words := make([]string, 0, len(args))
	for _, a := range args {
		w, _ := r.text(a)
		words = append(words, w)
	}
	verb := firstWord(words)
	switch name {
	case "npx", "bunx", "pnpx", "uvx":
		r.packageProgram(name, args)
	case "npm", "pnpm", "yarn":
		r.packageManager(name, verb, args, words)
	case "pipx", "uv", "poetry", "pdm", "pipenv", "rye", "hatch":
		return r.pythonRunner(name, args, words)
	case "go":
		return r.goRun(verb, args, words)
	case "make", "gmake":
		r.makefile(name, args)
	case "just":
		r.recipe(name, args, makefiles[3:6]...)
	case "task":
		r.recipe(name, args, "Taskfile.yml", "Taskfile.yaml")
	case "rake":
		r.recipe(name, args, makefiles[6:]...)
	case "pytest", "py.test", "jest", "vitest", "tox", "nox", "bazel":
		r.stray(r.script, "%s runs code of the project", name)
		r.codeLike(args)
	case "docker", "podman", "docker-compose", "podman-compose":
		r.container(name, args, words)
	case "ssh", "kubectl":
		r.note(r.script, "%s runs what is defined elsewhere", name)
	case "curl", "wget":
		if !r.pipes {
			return false
		}
		r.note(r.script, "what %s downloads is run", name)
	default:
		files, ok := builders[name]
		if !ok {
			return false
		}
		r.builder(name, args, files...)
		r.codeLike(args)
		if i := slices.Index(words, "exec"); name == "bundle" && i >= 0 && i+1 < len(args) {
			r.command(&shell.Command{Args: args[i+1:], Source: strings.Join(words, " ")})
		}
	}
	return true
}

// builders are programs that build or run what files of a project say, and these files.
var builders = map[string][]string{
	"cargo": {"Cargo.toml"}, "mvn": {"pom.xml"}, "mvnw": {"pom.xml"}, "bundle": {"Gemfile"}, "direnv": {".envrc"}, "mise": {"mise.toml", ".mise.toml", ".tool-versions"},
	"gradle": gradleFiles, "gradlew": gradleFiles, "nix": {"flake.nix"}, "nix-shell": {"shell.nix", "default.nix"}, "terraform": {"*.tf", "*.tf.json"},
}

var gradleFiles = []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}

// elsewhereOptions are options by which a program looks for its file in another place.
var elsewhereOptions = []string{"--manifest-path", "-C", "-f", "--file", "-p", "--project-dir", "--directory", "--project", "--flake", "--prefix", "--dir", "--cwd", "--justfile", "--taskfile", "-t", "-d", "--rakefile", "--makefile"}

// builder covers the files that a program builds or runs by.
func (r *reader) builder(name string, args []shell.Word, files ...string) {
	r.note(r.script, "%s builds and runs what the files of a project name", name)
	if !r.opts.FirstRules {
		r.existing(files...)
		r.placed(name, args, files...)
	}
}

// placed covers the files of a program where an option says that they are.
func (r *reader) placed(name string, args []shell.Word, files ...string) {
	for i, a := range args {
		text, ok := r.text(a)
		option, value, joined := strings.Cut(text, "=")
		if !slices.Contains(elsewhereOptions, option) || !joined && i+1 == len(args) {
			continue
		}
		if !joined {
			value, ok = r.text(args[i+1])
		}
		if !ok {
			r.stray(r.script, "where %s looks for its files is computed: %s", name, value)
			continue
		}
		r.existing(value)
		for _, f := range files {
			r.existing(filepath.Join(value, f))
		}
	}
}

// packageFiles are what npm and its like run scripts and code of.
var packageFiles = []string{"package.json", ".pnpmfile.cjs", ".yarnrc.yml", ".yarnrc"}

// quietNpm are what npm does without any code of the project.
var quietNpm = []string{"", "view", "info", "show", "root", "prefix", "config", "ls", "list", "outdated", "whoami", "audit"}

// packageManager looks at what npm and its like run.
func (r *reader) packageManager(name, verb string, args []shell.Word, words []string) {
	switch verb {
	case "exec", "x", "dlx":
		r.packageProgram(name+" "+verb, args[slices.Index(words, verb)+1:])
	case "run", "run-script", "test", "start", "t":
		r.packageScript(name+" "+verb, firstWord(after(words, verb)))
	default:
		if name == "npm" && slices.Contains(quietNpm, verb) {
			r.note(r.script, "npm %s may run scripts of packages", verb)
		} else {
			r.builder(strings.TrimSpace(name+" "+verb), args, packageFiles...)
		}
	}
}

// packageProgram covers the program that npx and its like run: they look in the project
// first, and no variable keeps them from that.
func (r *reader) packageProgram(name string, args []shell.Word) {
	named := ""
	for _, a := range args {
		w, ok := r.text(a)
		if strings.HasPrefix(w, "-") {
			continue
		}
		if named == "" && !ok {
			r.stray(r.script, "the package that %s runs is computed: %s", name, w)
			return
		}
		if named == "" {
			named = w
		}
		if ok && r.opts.Isolated && !strings.ContainsAny(w, `/\`) {
			r.existing(filepath.Join("node_modules", ".bin", w))
		}
	}
	r.note(r.script, "%s runs the package %s, which it may download", name, named)
}

// container looks at what docker and its like take of the project.
func (r *reader) container(name string, args []shell.Word, words []string) {
	has := func(verbs ...string) bool {
		return slices.ContainsFunc(verbs, func(v string) bool { return slices.Contains(words, v) })
	}
	if strings.HasSuffix(name, "-compose") || has("build", "buildx", "bake", "compose") || has("run", "create") && r.mounts(args) {
		r.stray(r.script, "%s runs what is defined in the project or gets it", name)
	} else {
		r.note(r.script, "%s runs what is defined elsewhere", name)
	}
}

// mounts reports whether a container gets what may be a directory of the project.
func (r *reader) mounts(args []shell.Word) bool {
	for i, a := range args {
		text, ok := r.text(a)
		option, value, joined := strings.Cut(text, "=")
		switch {
		case option == "-v" || option == "--volume" || option == "--mount":
			if !joined && i+1 < len(args) {
				value, ok = r.text(args[i+1])
			}
		case strings.HasPrefix(text, "-v"):
			value = text[2:]
		default:
			continue
		}
		for part := range strings.FieldsFuncSeq(value, func(c rune) bool { return strings.ContainsRune(":,=", c) }) {
			if !ok || strings.HasPrefix(part, ".") || strings.HasPrefix(part, "~") || filepath.IsAbs(part) && !r.away(part) {
				return true
			}
		}
	}
	return false
}

// pythonRunner looks at "uv run x.py" and its like as at what they run.
func (r *reader) pythonRunner(name string, args []shell.Word, words []string) bool {
	i := slices.Index(words, "run")
	if i < 0 || name == "pipx" {
		r.note(r.script, "%s runs a package, which it may download", name)
		return true
	}
	r.note(r.script, "%s run may install packages first", name)
	rest := args[i+1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
		rest = rest[1:]
	}
	before := words[:len(words)-len(rest)]
	if r.opts.Isolated && !slices.Contains(before, "--script") && !slices.Contains(before, "-s") && !slices.Contains(before, "--no-project") {
		r.existing("pyproject.toml") // it builds the project that it is in
	}
	if len(rest) == 0 {
		return true
	}
	if w, ok := r.text(rest[0]); ok && strings.HasSuffix(w, ".py") {
		r.file(w)
		return true
	}
	r.command(&shell.Command{Args: rest, Source: strings.Join(words, " ")})
	return true
}

// goRun covers the files of a program that go runs.
func (r *reader) goRun(verb string, args []shell.Word, words []string) bool {
	if verb != "run" && verb != "tool" && verb != "generate" && verb != "test" {
		return false
	}
	if verb == "generate" || verb == "test" || r.lost {
		r.stray(r.script, "go %s runs code of the packages that it is given", verb)
	}
	r.note(r.script, "go %s builds packages beyond the files listed", verb)
	for i, w := range words {
		if strings.HasPrefix(w, "-") || w == verb {
			continue
		}
		if !args[i].Literal {
			r.runs(args[i], "what go %s runs is computed: %s", verb, w)
			continue
		}
		if strings.HasSuffix(w, ".go") {
			r.file(w)
			continue
		}
		for _, b := range r.bases {
			found, _ := filepath.Glob(filepath.Join(codedir.Quote(r.join(b, w)), "*.go"))
			for _, p := range found {
				if r.inside(p) && !strings.HasSuffix(p, "_test.go") {
					r.add(p, r.depth+1)
				}
			}
		}
		break
	}
	return true
}

// makefiles are the files of make, just and rake.
var makefiles = []string{"GNUmakefile", "makefile", "Makefile", "justfile", "Justfile", ".justfile", "Rakefile", "rakefile"}

func (r *reader) makefile(name string, args []shell.Word) {
	r.note(r.script, "what the recipes of %s run", name)
	for i := range args {
		if option, _ := r.text(args[i]); i+1 < len(args) && slices.Contains([]string{"-f", "--file", "--makefile"}, option) {
			r.script1(name, args[i+1])
			return
		}
	}
	r.existing(makefiles[:3]...)
	r.placed(name, args, makefiles[:3]...)
}

func (r *reader) recipe(name string, args []shell.Word, files ...string) {
	r.note(r.script, "what the recipes of %s run", name)
	r.existing(files...)
	if !r.opts.FirstRules {
		r.placed(name, args, files...)
	}
}

func (r *reader) packageScript(how, name string) {
	r.note(r.script, "%s runs the script %q of package.json and what that names", how, name)
	r.existing("package.json")
}

// existing covers those files that there are, of names or patterns.
func (r *reader) existing(names ...string) {
	if r.lost {
		r.stray(r.script, "it runs what %s says in a directory that is computed", strings.Join(names, " or "))
	}
	for _, b := range r.bases {
		for _, n := range names {
			found := []string{r.join(b, n)}
			if strings.Contains(n, "*") {
				found, _ = filepath.Glob(r.join(codedir.Quote(b), n))
			}
			for _, p := range found {
				if r.inside(p) && exists(p) {
					r.add(p, r.depth+1)
				}
			}
		}
	}
}

// firstWord is the first word that is not an option.
func firstWord(words []string) string {
	for _, w := range words {
		if !strings.HasPrefix(w, "-") {
			return w
		}
	}
	return ""
}

func after(words []string, w string) []string {
	return words[slices.Index(words, w)+1:]
}

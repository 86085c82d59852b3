package refs

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/codedir"
	"github.com/hookline-dev/hookline/internal/shell"
)

// Limits of one search.
const (
	maxFiles  = 256
	maxDepth  = 8
	maxScript = 1 << 20  // bytes of one script that is looked into
	maxTotal  = 16 << 20 // bytes of all of them
	maxUnseen = 32
	maxLoops  = 32 // values that the variables of loops have together
)

// Options say where names lead. All paths are absolute.
type Options struct {
	// Dir is the directory in which the command is going to run.
	Dir string
	// Root is the directory within which files are listed; "" stands for Dir. Of a
	// file outside it is said that it is not covered. With the root of the file system
	// all files are listed but those of the system's own directories.
	Root string
	// Vars are variables whose values are known, such as CLAUDE_PROJECT_DIR. HOME
	// stands for ~ too.
	Vars map[string]string
	// Isolated says that the environment keeps Python from finding modules in the working
	// directory by their names alone; see Refs.Modules.
	Isolated bool
	// FirstRules finds what the first rules of approval covered, and no Trees: neither
	// file patterns, braces and loops nor the working directory and the top of the
	// repository are followed.
	FirstRules bool
}

// Refs is what was found.
type Refs struct {
	// Files are the files inside the root, as absolute paths, sorted. A file that a
	// command names and that is not there is among them: that it appears later
	// matters.
	Files []string
	// Missing are files outside the root that are not there, sorted.
	Missing []string
	// Trees are directories of which everything counts that an interpreter could load.
	// What they hold is not among the Files.
	Trees []codedir.Tree
	// Unseen says in words what could not be seen through.
	Unseen []string
	// Computed says in words what is run of which the name is computed, or looked for in a
	// directory that is: it may be any file of the directory that the command runs in. It is
	// the first such thing, and "" when there is none.
	Computed string
	// Python are, of what is Isolated, the Python scripts that are started, of Files or
	// outside the root.
	Python []string
	// Modules are what an isolated Python loads by name: an interpreter that is too old
	// to be isolated finds them in the working directory first.
	Modules []Module
}

// Module is a Python module that is loaded by its name.
type Module = struct {
	// Program is the interpreter as the command names it.
	Program, Name string
}

// Command returns what a line of shell text would run.
func Command(text string, o Options) Refs {
	f := newFinder(o)
	f.shell(text, "", []string{o.Dir}, 0)
	return f.refs()
}

// Exec returns what a program with these arguments would run when no shell is
// involved. ${NAME} stands for the value of a known variable.
func Exec(program string, args []string, o Options) Refs {
	f := newFinder(o)
	f.exec(program, args)
	return f.refs()
}

func (f *finder) exec(program string, args []string) {
	c := shell.Command{}
	for _, a := range append([]string{program}, args...) {
		c.Args = append(c.Args, f.placeholders(a))
	}
	// A shell among them is read as it is in a shell's text.
	if line, ok := quoted(c.Args); ok {
		f.shell(line, "", []string{f.opts.Dir}, 0)
	} else {
		(&reader{finder: f, bases: []string{f.opts.Dir}}).command(&c)
	}
}

// PowerShell returns the scripts that a line of PowerShell text names. The text is
// not parsed: only words that are names of scripts are found.
func PowerShell(text string, o Options) Refs {
	f := newFinder(o)
	f.note("", "PowerShell text is searched for names of scripts only")
	r := &reader{finder: f, bases: []string{o.Dir}, sub: substitute(strings.ReplaceAll(text, "$env:", "$"), o.Vars)}
	for _, w := range strings.FieldsFunc(r.sub.text, func(c rune) bool { return strings.ContainsRune(" \t\n\"'&;|(){}", c) }) {
		r.codeLike([]shell.Word{{Text: filepath.FromSlash(w), Literal: true}})
	}
	return f.refs()
}

// finder collects files.
type finder struct {
	opts  Options
	files map[string]struct{}
	// missing are files outside the root
	missing map[string]struct{}
	trees   map[codedir.Tree]bool   // whether it is covered
	globs   map[string]codedir.Tree // of what pattern a file was the value
	always  map[string]string       // what is known in every text, nil before it is needed
	unseen  []string
	strays  string // see Refs.Computed
	total   int
	nested  int  // imports that lie between a script and the file that is looked at
	depth0  bool // files are not looked into
	loose   bool // a text takes back what isolates Python

	python  map[string]struct{}
	modules map[Module]struct{}
}

func newFinder(o Options) *finder {
	if o.Root == "" {
		o.Root = o.Dir
	}
	return &finder{
		opts: o, files: map[string]struct{}{}, missing: map[string]struct{}{}, trees: map[codedir.Tree]bool{}, globs: map[string]codedir.Tree{},
		python: map[string]struct{}{}, modules: map[Module]struct{}{},
	}
}

func (f *finder) refs() Refs {
	r := Refs{Unseen: f.unseen, Computed: f.strays, Files: slices.Sorted(maps.Keys(f.files)), Missing: slices.Sorted(maps.Keys(f.missing))}
	r.Python = slices.Sorted(maps.Keys(f.python))
	r.Modules = slices.SortedFunc(maps.Keys(f.modules), func(a, b Module) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Program, b.Program))
	})
	for t, covered := range f.trees {
		if covered {
			r.Trees = append(r.Trees, t)
		}
	}
	slices.SortFunc(r.Trees, func(a, b codedir.Tree) int {
		return cmp.Or(strings.Compare(a.Dir, b.Dir), strings.Compare(string(a.Language), string(b.Language)))
	})
	return r
}

// note says once what could not be seen through; in names the script that it
// stands in. It returns what it said.
func (f *finder) note(in, format string, args ...any) string {
	s := fmt.Sprintf(format, args...)
	if in != "" {
		s = "in " + f.short(in) + ": " + s
	}
	if len(f.unseen) < maxUnseen && !slices.Contains(f.unseen, s) {
		f.unseen = append(f.unseen, s)
	} else if len(f.unseen) == maxUnseen {
		f.unseen = append(f.unseen, "and more")
	}
	return s
}

// stray is a note of something that is run and may lie anywhere.
func (f *finder) stray(in, format string, args ...any) {
	if s := f.note(in, format, args...); f.strays == "" {
		f.strays = s
	}
}

// short is a path relative to the root when it lies within.
func (f *finder) short(path string) string {
	if rel, err := filepath.Rel(f.opts.Root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// inside reports whether a clean absolute path lies within the root.
func (f *finder) inside(path string) bool {
	rel, err := filepath.Rel(f.opts.Root, path)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

// shell reads shell text. script is the file that it stands in, "" for the
// command itself.
func (f *finder) shell(text, script string, bases []string, depth int) {
	f.known(spelled(text, script), f.vars(script), &reader{finder: f, script: script, bases: bases, depth: depth}, 2)
}

// known reads shell text with the variables that it sets to known values in place; in a
// few rounds, since a value may be made of another one.
func (f *finder) known(text string, vars map[string]string, r *reader, rounds int) {
	sub := substitute(text, vars)
	s := shell.Analyze(sub.text)
	if !s.Parsed {
		f.stray(r.script, "the shell text could not be parsed (%s), so the files that it names are not known", s.Problem)
		return
	}
	in := *r
	in.sub = sub
	more := in.assignments(s, vars)
	if rounds == 0 || more == nil {
		f.loose = f.loose || loosens.Get().MatchString(text)
		in.all(s)
		return
	}
	for _, vars := range more {
		f.known(text, vars, r, rounds-1)
	}
}

// assignments returns vars with the variables that a script sets to a known value:
// those that are set once, and for a loop one map for each of its words. It is nil when
// there is nothing to add.
func (r *reader) assignments(s shell.Script, vars map[string]string) []map[string]string {
	places := map[string]int{}
	values := map[string][]string{}
	for i := range s.Commands {
		s.Commands[i].All(func(c *shell.Command) bool {
			if len(c.Args) > 0 && !declares(c.Name()) {
				return true
			}
			for j, a := range c.Env {
				if c.Loop && r.opts.FirstRules {
					break
				}
				if !c.Loop || j == 0 {
					places[a.Name]++
				}
				words := []shell.Word{a.Value}
				if c.Loop {
					words = r.words(a.Value)
				}
				for _, w := range words {
					if !w.Literal {
						places[a.Name]++ // it is not known
					}
					values[a.Name] = append(values[a.Name], r.sub.back(w.Text))
				}
			}
			return true
		})
	}
	out := []map[string]string{vars}
	added := false
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, known := vars[name]; known || name == "" || places[name] > 1 || len(out)*len(values[name]) > maxLoops {
			continue
		}
		added = true
		var next []map[string]string
		for _, m := range out {
			for _, value := range values[name] {
				with := map[string]string{name: value}
				maps.Copy(with, m)
				next = append(next, with)
			}
		}
		out = next
	}
	if !added {
		return nil
	}
	return out
}

func declares(name string) bool {
	switch name {
	case "export", "readonly", "local", "declare", "typeset":
		return true
	}
	return false
}

// quoted makes a line of shell text of literal words.
func quoted(words []shell.Word) (string, bool) {
	var out []string
	for _, w := range words {
		if !w.Literal || strings.ContainsAny(w.Text, "\x00\r") {
			return "", false
		}
		out = append(out, "'"+strings.ReplaceAll(w.Text, "'", `'\''`)+"'")
	}
	return strings.Join(out, " "), true
}

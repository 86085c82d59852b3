package tool

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	grepLimit    = 250     // entries, when nobody says
	grepMaxFile  = 8 << 20 // larger files are left out
	grepMaxBytes = 64 << 10
	grepLine     = 500 // bytes of a line that are shown
)

const grepSchema = `{"type":"object","properties":{
"pattern":{"type":"string","description":"A regular expression in RE2 syntax."},
"path":{"type":"string","description":"The file or directory to search; the working directory if absent."},
"glob":{"type":"string","description":"Only files that match this glob, such as *.go or src/**/*.ts."},
"type":{"type":"string","description":"Only files of this type: go, py, js, ts, rust, java, md, ..."},
"output_mode":{"type":"string","enum":["files_with_matches","content","count"],"description":"What to show: names of files (default), lines, or how many there are in each file."},
"-i":{"type":"boolean","description":"Ignore case."},
"-n":{"type":"boolean","description":"Show line numbers with content; true if absent."},
"-A":{"type":"integer","minimum":0,"description":"Lines to show after each match."},
"-B":{"type":"integer","minimum":0,"description":"Lines to show before each match."},
"-C":{"type":"integer","minimum":0,"description":"Lines to show around each match."},
"multiline":{"type":"boolean","description":"Let the pattern match over several lines, . included."},
"head_limit":{"type":"integer","minimum":0,"description":"Show only so many lines or files; 250 if absent."},
"offset":{"type":"integer","minimum":0,"description":"Leave out so many lines or files at the beginning."}
},"required":["pattern"],"additionalProperties":false}`

type grepInput struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Glob       string `json:"glob"`
	Type       string `json:"type"`
	OutputMode string `json:"output_mode"`
	IgnoreCase bool   `json:"-i"`
	Numbers    *bool  `json:"-n"`
	After      int    `json:"-A"`
	Before     int    `json:"-B"`
	Around     int    `json:"-C"`
	Multiline  bool   `json:"multiline"`
	HeadLimit  int    `json:"head_limit"`
	Offset     int    `json:"offset"`
}

type grepResponse struct {
	Mode         string   `json:"mode"`
	Filenames    []string `json:"filenames"`
	NumFiles     int      `json:"numFiles"`
	Content      string   `json:"content,omitzero"`
	NumLines     int      `json:"numLines,omitzero"`
	NumMatches   int      `json:"numMatches,omitzero"`
	AppliedLimit int      `json:"appliedLimit,omitzero"`
}

func (s *Set) grep() Tool {
	return defineReader("Grep", "Searches the text of files with a regular expression. Binary files, files above 8 MiB and "+
		"the folders .git and node_modules are left out.", grepSchema, s.runGrep)
}

func (s *Set) runGrep(ctx context.Context, in grepInput, _ Input) (Result, error) {
	g, err := newGrep(in)
	if err != nil {
		return Result{}, err
	}
	path := in.Path
	if path == "" {
		path = "."
	}
	p, err := s.locate(ctx, path, toRead)
	if err != nil {
		return Result{}, err
	}
	defer p.close()
	fi, err := p.root.Stat(p.name)
	if err != nil {
		return Result{}, p.wrap(err)
	}
	if !fi.IsDir() {
		if err := p.regular(fi); err != nil {
			return Result{}, err
		}
		g.file(p, fi)
		return g.result()
	}
	hidden := func(string) bool { return false }
	if s.cfg.Hide != nil {
		if f := s.cfg.Hide(); f != nil {
			hidden = f
		}
	}
	err = p.walk(ctx, func(name string, d fs.DirEntry) error {
		info, err := d.Info()
		if err == nil && !hidden(filepath.Join(p.real, name)) && info.Mode().IsRegular() && info.Size() <= grepMaxFile && g.wanted(name) {
			g.file(p.in(name), info)
		}
		if g.full() {
			return errEnough
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	return g.result()
}

// grepper collects what a search finds.
type grepper struct {
	grepInput
	re    *regexp.Regexp
	globs []string

	files   []found
	lines   []string // of content or count
	bytes   int
	matches int
}

func newGrep(in grepInput) (*grepper, error) {
	flags := "m"
	if in.IgnoreCase {
		flags += "i"
	}
	if in.Multiline {
		flags += "s"
	}
	re, err := regexp.Compile("(?" + flags + ":" + in.Pattern + ")")
	if err != nil {
		return nil, fmt.Errorf("the pattern is not a regular expression in RE2 syntax: %w", err)
	}
	if in.OutputMode == "" {
		in.OutputMode = "files_with_matches"
	}
	if in.HeadLimit == 0 {
		in.HeadLimit = grepLimit
	}
	in.Before, in.After = max(in.Before, in.Around), max(in.After, in.Around)
	g := &grepper{grepInput: in, re: re}
	if in.Type != "" {
		globs, ok := typeGlobs(in.Type)
		if !ok {
			return nil, fmt.Errorf("the file type %q is not known; use glob", in.Type)
		}
		g.globs = globs
	}
	if in.Glob != "" && !doublestar.ValidatePattern(in.Glob) {
		return nil, fmt.Errorf("%q is not a valid glob", in.Glob)
	}
	return g, nil
}

// wanted reports whether a file's name passes glob and type. A glob without a
// slash is matched against the last part of the name.
func (g *grepper) wanted(name string) bool {
	if g.globs != nil && !matchesAny(g.globs, name) {
		return false
	}
	if g.Glob == "" || doublestar.MatchUnvalidated(g.Glob, name) {
		return true
	}
	return !strings.Contains(g.Glob, "/") && doublestar.MatchUnvalidated("**/"+g.Glob, name)
}

// full reports whether nothing that is found any more would be shown. Names of
// files are sorted by time, so all of them are needed.
func (g *grepper) full() bool {
	return g.bytes > grepMaxBytes || g.OutputMode != "files_with_matches" && len(g.lines) > g.Offset+g.HeadLimit
}

func (g *grepper) file(p *place, info fs.FileInfo) {
	data, _, err := p.content()
	if err != nil || bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 {
		return
	}
	locs := g.search(data)
	if len(locs) == 0 {
		return
	}
	g.files = append(g.files, found{p.path, info})
	switch g.OutputMode {
	case "count":
		g.matches += len(locs)
		g.add(fmt.Sprintf("%s:%d", p.path, len(locs)))
	case "content":
		g.content(p.path, data, locs)
	}
}

// search returns the lines that match, each as the first and the last line of a
// match, counted from 0. For names of files one is enough.
func (g *grepper) search(data []byte) [][2]int {
	limit := -1
	if g.OutputMode == "files_with_matches" {
		limit = 1
	}
	var out [][2]int
	line, at := 0, 0
	for _, m := range g.re.FindAllIndex(data, limit) {
		if m[0] == len(data) && m[0] > 0 && data[m[0]-1] == '\n' {
			break // after the last line
		}
		line += bytes.Count(data[at:m[0]], []byte("\n"))
		at = m[0]
		last := line + bytes.Count(bytes.TrimSuffix(data[m[0]:m[1]], []byte("\n")), []byte("\n"))
		if n := len(out); n > 0 && out[n-1][1] >= line {
			out[n-1][1] = max(out[n-1][1], last)
			continue
		}
		out = append(out, [2]int{line, last})
	}
	return out
}

func (g *grepper) content(path string, data []byte, locs [][2]int) {
	all := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	matched := make([]bool, len(all))
	for _, loc := range locs {
		for i := loc[0]; i <= min(loc[1], len(all)-1); i++ {
			matched[i] = true
		}
	}
	shown := -1 // the last line that was added
	for _, loc := range locs {
		from := max(loc[0]-g.Before, shown+1)
		to := min(loc[1]+g.After, len(all)-1)
		if (g.Before > 0 || g.After > 0) && len(g.lines) > 0 && (shown < 0 || from > shown+1) {
			g.add("--")
		}
		for i := from; i <= to && !g.full(); i++ {
			sep := "-"
			if matched[i] {
				sep = ":"
				g.matches++
			}
			g.add(g.label(path, i+1, sep) + cutLine(all[i]))
			shown = i
		}
	}
}

func (g *grepper) label(path string, n int, sep string) string {
	if g.Numbers != nil && !*g.Numbers {
		return path + sep
	}
	return fmt.Sprintf("%s%s%d%s", path, sep, n, sep)
}

func (g *grepper) add(line string) {
	g.lines = append(g.lines, line)
	if len(g.lines) > g.Offset {
		g.bytes += len(line)
	}
}

func cutLine(line string) string {
	line = strings.TrimSuffix(line, "\r")
	if len(line) > grepLine {
		line = strings.ToValidUTF8(line[:grepLine], "") + " … (line cut)"
	}
	return line
}

func (g *grepper) result() (Result, error) {
	names := byTime(g.files)
	resp := grepResponse{Mode: g.OutputMode, NumFiles: len(names), NumMatches: g.matches}
	list := g.lines
	if g.OutputMode == "files_with_matches" {
		list = names
	}
	if len(list) == 0 {
		resp.Filenames = []string{}
		return result("No matches found.", resp)
	}
	list = list[min(g.Offset, len(list)):]
	if len(list) > g.HeadLimit || g.bytes > grepMaxBytes {
		list = list[:min(len(list), g.HeadLimit)]
		resp.AppliedLimit = len(list)
	}
	text := strings.Join(list, "\n")
	if g.OutputMode == "files_with_matches" {
		resp.Filenames = list
		text = fmt.Sprintf("Found %d %s\n%s", len(names), plural(len(names), "file"), text)
	} else {
		resp.Filenames, resp.Content, resp.NumLines = names, text, len(list)
	}
	if resp.AppliedLimit > 0 {
		text += fmt.Sprintf("\n(only the first %d; use offset or a narrower search for the others)", len(list))
	}
	return result(text, resp)
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// Package patch takes patches apart that change several files at once: the tool apply_patch of
// Codex and of OpenCode. Hooks are asked about the change of each file.
package patch

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/hook"
)

// The lines of a patch that begin something.
const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
	endOfFile  = "*** End of File"
	addFile    = "*** Add File: "
	updateFile = "*** Update File: "
	deleteFile = "*** Delete File: "
	moveTo     = "*** Move to: "
)

// change is what a patch does to one file.
type change struct {
	verb string // addFile, updateFile or deleteFile
	path string
	to   string // where it moves, "" for nowhere
	body []string
}

// changes reads a patch. It takes whatever has the right headers: what the host reads more
// strictly comes to nothing there, and what it reads more loosely is seen here too.
func changes(patch string) (out []change) {
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		header, verb := strings.TrimSpace(line), ""
		for _, v := range []string{addFile, updateFile, deleteFile} {
			if strings.HasPrefix(header, v) {
				verb = v
			}
		}
		last := len(out) - 1
		switch {
		case verb != "":
			out = append(out, change{verb: verb, path: strings.TrimSpace(strings.TrimPrefix(header, verb))})
		case strings.HasPrefix(header, beginPatch), strings.HasPrefix(header, endPatch), last < 0:
		case strings.HasPrefix(header, moveTo):
			out[last].to = strings.TrimSpace(strings.TrimPrefix(header, moveTo))
		default:
			out[last].body = append(out[last].body, line)
		}
	}
	return out
}

// hunk is a piece of a changed file: the line that says where, and what it holds before and
// after.
type hunk struct {
	anchor   string
	old, new []string
	end      bool // it is the end of the file
}

func (c *change) hunks() (out []hunk) {
	for _, line := range c.body {
		if strings.HasPrefix(line, "@@") || len(out) == 0 {
			out = append(out, hunk{})
		}
		h := &out[len(out)-1]
		switch {
		case strings.HasPrefix(line, "@@"):
			h.anchor = line
		case strings.TrimSpace(line) == endOfFile:
			h.end = true
		case strings.HasPrefix(line, "+"):
			h.new = append(h.new, line[1:])
		case strings.HasPrefix(line, "-"):
			h.old = append(h.old, line[1:])
		default:
			text := strings.TrimPrefix(line, " ")
			h.old, h.new = append(h.old, text), append(h.new, text)
		}
	}
	return out
}

// content is what an added file holds.
func (c *change) content() string {
	var b strings.Builder
	for _, line := range c.body {
		b.WriteString(strings.TrimPrefix(line, "+") + "\n")
	}
	return b.String()
}

// call is the canonical tool call that does what a change does to the file of a path. A
// file that is deleted is one that is left with nothing, and says so.
func (c *change) call(path string) (tool string, input hook.JSON) {
	put := func(key string, v any) { _ = input.Set(key, v) } // an object of our own
	put("file_path", path)
	hunks := c.hunks()
	switch {
	case c.verb == addFile:
		put("content", c.content())
		return "Write", input
	case c.verb == deleteFile:
		put("content", "")
		put("delete", true)
		return "Write", input
	case len(hunks) == 1:
		put("old_string", lines(hunks[0].old))
		put("new_string", lines(hunks[0].new))
		return "Edit", input
	}
	type edit struct {
		Old string `json:"old_string"`
		New string `json:"new_string"`
	}
	edits := []edit{}
	for _, h := range hunks {
		edits = append(edits, edit{lines(h.old), lines(h.new)})
	}
	put("edits", edits)
	return "MultiEdit", input
}

func lines(list []string) string { return strings.Join(list, "\n") }

// calls are the canonical calls of a change: one, or one for each name of a file that moves.
func (c *change) calls(dir string) (tools []string, inputs []hook.JSON) {
	for _, path := range []string{c.path, c.to} {
		if path == "" {
			continue
		}
		if dir != "" && !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		tool, input := c.call(path)
		tools, inputs = append(tools, tool), append(inputs, input)
	}
	return tools, inputs
}

// text writes a change as a patch has it.
func (c *change) text() string {
	var b strings.Builder
	b.WriteString(c.verb + c.path + "\n")
	if c.to != "" {
		b.WriteString(moveTo + c.to + "\n")
	}
	for _, line := range c.body {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// patchOf writes changes as a patch.
func patchOf(list ...change) string {
	var b strings.Builder
	b.WriteString(beginPatch + "\n")
	for i := range list {
		b.WriteString(list[i].text())
	}
	b.WriteString(endPatch)
	return b.String()
}

// changed returns what a change comes to when its call has another input.
func (c change) changed(path string, input hook.JSON) (change, error) {
	if c.to != "" || c.verb == deleteFile {
		return c, fmt.Errorf("a file that is moved or deleted cannot be changed at once: %s", c.path)
	}
	c.path = path
	if c.verb == addFile {
		c.body = prefixed("+", input.String("content"))
		return c, nil
	}
	before := c.hunks()
	edits := []hook.JSON{input}
	if len(before) != 1 {
		if err := member(input, "edits").Decode(&edits); err != nil {
			return c, fmt.Errorf("edits of %s: %w", c.path, err)
		}
	}
	if len(edits) != len(before) {
		return c, fmt.Errorf("the patch of %s has %d pieces, not %d", c.path, len(before), len(edits))
	}
	c.body = nil
	for i, e := range edits {
		c.body = append(c.body, piece(before[i].anchor, e.String("old_string"), e.String("new_string"))...)
		if before[i].end {
			c.body = append(c.body, endOfFile)
		}
	}
	return c, nil
}

func member(j hook.JSON, key string) hook.JSON {
	v, _ := j.Get(key)
	return v
}

// piece writes a piece of a changed file.
func piece(anchor, before, after string) []string {
	if anchor == "" {
		anchor = "@@"
	}
	out := append([]string{anchor}, prefixed("-", before)...)
	return append(out, prefixed("+", after)...)
}

// prefixed are the lines of a text, each behind a prefix; none of no text.
func prefixed(prefix, text string) (out []string) {
	if text == "" {
		return nil
	}
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		out = append(out, prefix+line)
	}
	return out
}

// Of returns the patch that does what a call of Write, Edit or MultiEdit does.
func Of(tool string, input hook.JSON) string {
	c := change{verb: updateFile, path: input.String("file_path")}
	switch {
	case tool == "Write" && input.Bool("delete"):
		c.verb = deleteFile
	case tool == "Write":
		c.verb, c.body = addFile, prefixed("+", input.String("content"))
	case tool == "Edit":
		c.body = piece("", input.String("old_string"), input.String("new_string"))
	default:
		var edits []hook.JSON
		_ = member(input, "edits").Decode(&edits) // what is not a list has no pieces
		for _, e := range edits {
			c.body = append(c.body, piece("", e.String("old_string"), e.String("new_string"))...)
		}
	}
	return patchOf(c)
}

// One returns the call that does what a patch of one file does.
func One(text string) (tool string, input hook.JSON, err error) {
	list := changes(text)
	if len(list) != 1 || list[0].to != "" {
		return "", input, fmt.Errorf("the patch has %d changes: the call is for one file", len(list))
	}
	tool, input = list[0].call(list[0].path)
	return tool, input, nil
}

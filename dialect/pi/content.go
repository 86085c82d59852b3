package pi

import (
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/hook"
)

// block is a content block with a text.
type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func textContent(s string) hook.JSON { return hook.MustJSON([]block{{"text", s}}) }

// splitResponse turns what a tool returned into the dialect's content, which the
// model sees, and what it does not.
func splitResponse(tool string, response hook.JSON) own {
	o := own{response: response}
	if response.IsZero() || response.Raw() == "null" {
		o.content = hook.RawJSON("[]")
	} else if s, ok := response.AsString(); ok {
		o.content = textContent(s)
	} else if isBlocks(response) {
		o.content = contentOut(response)
	} else if c, ok := response.Get("content"); ok && isBlocks(c) {
		o.content = contentOut(c)
		o.details, _ = member(response, "details")
		o.structured, _ = response.Get(structured)
	} else {
		text, ok := textOf(tool, response)
		if !ok {
			text = response.Raw()
		}
		o.content, o.details = textContent(text), detailsOf(tool, response)
	}
	return o
}

// structured is the member that has a result as a program reads it.
const structured = "structuredContent"

// beside sets what a result has beside its content.
func (o own) beside(v *hook.JSON) {
	if !o.details.IsZero() {
		set(v, "details", o.details)
	}
	if !o.structured.IsZero() {
		set(v, structured, o.structured)
	}
}

// detailsOf are the details that the dialect's own tools have: the built-in ones here
// put more into their responses, which is not its business.
func detailsOf(tool string, response hook.JSON) hook.JSON {
	if hunks := array(response, "structuredPatch"); tool == "Edit" && len(hunks) > 0 {
		return hook.MustJSON(values{"diff": diffOf(hunks), "patch": patchOf(response.String("filePath"), hunks), "firstChangedLine": firstChanged(hunks[0])})
	}
	if tools.DialectName(tool) != tool || !response.Valid() {
		return hook.JSON{}
	}
	return response
}

// diffOf writes the hunks of an edit as the dialect's diff: each line with its sign and
// its number.
func diffOf(hunks []hook.JSON) string {
	var out []string
	for i, h := range hunks {
		if i > 0 {
			out = append(out, "...")
		}
		before, after := number(h, "oldStart"), number(h, "newStart")
		for _, line := range h.Strings("lines") {
			sign, text := line[:min(1, len(line))], line[min(1, len(line)):]
			n := after
			if sign == "-" {
				n = before
			}
			out = append(out, fmt.Sprintf("%s%d %s", sign, n, text))
			if sign != "+" {
				before++
			}
			if sign != "-" {
				after++
			}
		}
	}
	return strings.Join(out, "\n")
}

// patchOf writes the hunks of an edit as a unified diff.
func patchOf(path string, hunks []hook.JSON) string {
	out := fmt.Sprintf("--- %s\n+++ %s\n", path, path)
	for _, h := range hunks {
		out += fmt.Sprintf("@@ -%d,%d +%d,%d @@\n", number(h, "oldStart"), number(h, "oldLines"), number(h, "newStart"), number(h, "newLines"))
		for _, line := range h.Strings("lines") {
			out += line + "\n"
		}
	}
	return out
}

// firstChanged is the line of the new text that a hunk changes first: those before it are there
// for whoever reads the diff.
func firstChanged(hunk hook.JSON) int {
	n := number(hunk, "newStart")
	for _, line := range hunk.Strings("lines") {
		if !strings.HasPrefix(line, " ") {
			break
		}
		n++
	}
	return n
}

// isBlocks reports whether a value is an array of content blocks.
func isBlocks(v hook.JSON) bool {
	if !strings.HasPrefix(v.Raw(), "[") {
		return false
	}
	var list []hook.JSON
	if v.Decode(&list) != nil {
		return false
	}
	for _, b := range list {
		if b.String("type") == "" {
			return false
		}
	}
	return true
}

// textOf is the text of the built-in tools' structured results.
func textOf(tool string, response hook.JSON) (string, bool) {
	if tool == "Bash" && response.Has("stdout") {
		out, errs := response.String("stdout"), response.String("stderr")
		if out != "" && errs != "" {
			return strings.TrimSuffix(out, "\n") + "\n" + errs, true
		}
		return out + errs, true
	}
	if file, ok := response.Get("file"); ok && file.Has("content") {
		return file.String("content"), true
	}
	return "", false
}

// joinResponse puts a replaced result into the form that the tool's response had, so that
// whoever knows the tool still understands it.
func joinResponse(tool string, o own) hook.JSON {
	text, plain := plainText(o.content)
	plain = plain && o.details.IsZero() && o.structured.IsZero()
	switch {
	case isBlocks(o.response):
		return o.content
	case plain && (o.response.IsZero() || isString(o.response)):
		return hook.MustJSON(text)
	case o.response.Has("content"):
		out := o.response
		out.Delete(structured) // it is that of the content that was replaced
		set(&out, "content", o.content)
		o.beside(&out)
		return out
	}
	if _, ok := textOf(tool, o.response); ok && plain {
		return withText(o.response, text)
	}
	out := hook.JSON{}
	set(&out, "content", o.content)
	o.beside(&out)
	return out
}

// withText replaces the text of a built-in tool's structured result.
func withText(response hook.JSON, text string) hook.JSON {
	out := response
	if file, ok := response.Get("file"); ok {
		set(&file, "content", text)
		set(&out, "file", file)
		return out
	}
	set(&out, "stdout", text)
	set(&out, "stderr", "")
	return out
}

func set(v *hook.JSON, key string, value any) {
	_ = v.Set(key, value) // an object, as its callers know
}

func isString(v hook.JSON) bool {
	_, ok := v.AsString()
	return ok
}

// plainText returns the text of content that has nothing but text.
func plainText(content hook.JSON) (string, bool) {
	if s, ok := content.AsString(); ok {
		return s, true
	}
	var list []hook.JSON
	if content.Decode(&list) != nil {
		return "", false
	}
	parts := make([]string, 0, len(list))
	for _, b := range list {
		if b.String("type") != "text" {
			return "", false
		}
		parts = append(parts, b.String("text"))
	}
	return strings.Join(parts, "\n"), true
}

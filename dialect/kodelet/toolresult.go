package kodelet

import (
	"strings"
	"time"

	"github.com/hookline-dev/hookline/hook"
)

// ran is a tool's call that is over.
type ran struct {
	tool            string
	input, response hook.JSON
	failure         string // why it failed, empty when it did not
	dir             string
	ms              float64 // how long it took
}

// result builds a StructuredToolResult from whatever the host's tool returned.
func (c Codec) result(r ran) *result {
	now := c.Now
	if now == nil {
		now = time.Now
	}
	name := tools.DialectName(r.tool)
	out := &result{ToolName: name, Success: r.failure == "", Error: r.failure, Timestamp: now().UTC()}
	if meta := r.metadata(name); !meta.IsZero() {
		out.Metadata, out.MetadataType = meta, name
	}
	return out
}

// metadata shapes a tool's response as kodelet's own tools do. A response of a
// tool that is not known there is passed on as it is, and a text as its output.
func (r ran) metadata(name string) hook.JSON {
	input, response := r.input, r.response
	if response.IsZero() || response.Raw() == "null" {
		return hook.JSON{}
	}
	if text, ok := response.AsString(); ok {
		return hook.MustJSON(map[string]string{"output": text})
	}
	var m hook.JSON
	put := func(key string, v any) { _ = m.Set(key, v) } // m is an object of our own
	switch name {
	case "bash":
		put("command", input.String("command"))
		code, _ := response.Int("exitCode")
		put("exitCode", code)
		put("output", joinLines(response.String("stdout"), response.String("stderr")))
		put("executionTime", int64(r.ms*1e6)) // nanoseconds
		if r.dir != "" {
			put("workingDir", r.dir)
		}
	case "file_read":
		file, _ := response.Get("file")
		put("filePath", input.String("file_path"))
		put("offset", max(1, intOf(file, "startLine")))
		lines := strings.Split(strings.TrimSuffix(file.String("content"), "\n"), "\n")
		put("lineLimit", len(lines))
		put("lines", lines)
		put("truncated", intOf(file, "numLines") < intOf(file, "totalLines"))
	case "file_write":
		content := input.String("content")
		put("filePath", input.String("file_path"))
		put("content", content)
		put("size", len(content))
	case "file_edit":
		put("filePath", input.String("file_path"))
		put("edits", []map[string]any{{"oldContent": input.String("old_string"), "newContent": input.String("new_string")}})
		put("replaceAll", input.Bool("replace_all"))
	default:
		if !strings.HasPrefix(response.Raw(), "{") {
			put("output", response)
			return m
		}
		return response
	}
	return m
}

func intOf(j hook.JSON, key string) int64 {
	n, _ := j.Int(key)
	return n
}

func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return strings.TrimSuffix(a, "\n") + "\n" + b
}

// response turns a replaced result into a tool response again. What a text-only
// host shows the model is in it too: a string where kodelet has only text.
func response(r *result) hook.JSON {
	if !r.Success && r.Error != "" {
		return hook.MustJSON(r.Error)
	}
	m := r.Metadata
	switch r.MetadataType {
	case "bash":
		var out hook.JSON
		code, _ := m.Int("exitCode")
		for _, kv := range []struct {
			k string
			v any
		}{{"stdout", m.String("output")}, {"stderr", ""}, {"interrupted", false}, {"isImage", false}, {"exitCode", code}} {
			_ = out.Set(kv.k, kv.v) // an object of our own
		}
		return out
	case "file_read":
		lines := m.Strings("lines")
		return hook.MustJSON(map[string]any{"type": "text", "file": map[string]any{
			"filePath": m.String("filePath"), "content": strings.Join(lines, "\n"), "numLines": len(lines), "startLine": max(1, intOf(m, "offset")), "totalLines": len(lines),
		}})
	}
	for _, key := range []string{"output", "content"} {
		if v, ok := m.Get(key); ok && len(m.Keys()) == 1 {
			return v
		}
	}
	if m.IsZero() {
		return hook.MustJSON("")
	}
	return m
}

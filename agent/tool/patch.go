package tool

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/aymanbagabas/go-udiff"
)

// hunk is one part of a structured patch. Each line begins with " ", "+" or "-".
type hunk struct {
	OldStart int      `json:"oldStart"`
	OldLines int      `json:"oldLines"`
	NewStart int      `json:"newStart"`
	NewLines int      `json:"newLines"`
	Lines    []string `json:"lines"`
}

// maxDiff is the size up to which two texts are compared, in bytes of both.
const maxDiff = 1 << 20

// patch compares two texts. It is empty for texts that are too large.
func patch(before, after string) []hunk {
	hunks := []hunk{}
	if len(before)+len(after) > maxDiff {
		return hunks
	}
	u, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil {
		return hunks
	}
	for _, h := range u.Hunks {
		out := hunk{OldStart: h.FromLine, NewStart: h.ToLine}
		for _, l := range h.Lines {
			sign := " "
			switch l.Kind {
			case udiff.Delete:
				sign = "-"
				out.OldLines++
			case udiff.Insert:
				sign = "+"
				out.NewLines++
			default:
				out.OldLines++
				out.NewLines++
			}
			out.Lines = append(out.Lines, sign+strings.TrimSuffix(l.Content, "\n"))
		}
		hunks = append(hunks, out)
	}
	return hunks
}

// previewed lets a tool say beforehand what it would make of the file at file_path.
func previewed[T any](s *Set, b *builtin, path func(T) string, after func(before string, in T) (string, error)) *builtin {
	b.preview = func(ctx context.Context, input jsontext.Value) string {
		var in T
		if json.Unmarshal(input, &in) != nil {
			return ""
		}
		p, err := s.locate(ctx, path(in), toWrite)
		if err != nil {
			return ""
		}
		defer p.close()
		old, _, err := p.text(ctx)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		text, err := after(string(old), in)
		if err != nil || len(old)+len(text) > maxDiff {
			return ""
		}
		return udiff.Unified(p.path, p.path, string(old), text)
	}
	return b
}

package tool

import (
	"strings"

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

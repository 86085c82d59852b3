package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

const editSchema = `{"type":"object","properties":{
"file_path":{"type":"string","description":"The file to change. Absolute, or relative to the working directory."},
"old_string":{"type":"string","description":"The text to replace, exactly as in the file, without line numbers. Empty to make a new file."},
"new_string":{"type":"string","description":"The text to put in its place."},
"replace_all":{"type":"boolean","description":"Replace every occurrence. Without it old_string must occur once."}
},"required":["file_path","old_string","new_string"],"additionalProperties":false}`

type editInput struct {
	FilePath   string `json:"file_path"`
	OldString  string `json:"old_string"`
	NewString  string `json:"new_string"`
	ReplaceAll bool   `json:"replace_all"`
}

type editResponse struct {
	FilePath        string `json:"filePath"`
	OldString       string `json:"oldString"`
	NewString       string `json:"newString"`
	OriginalFile    string `json:"originalFile"`
	StructuredPatch []hunk `json:"structuredPatch"`
	UserModified    bool   `json:"userModified"`
	ReplaceAll      bool   `json:"replaceAll"`
}

func (s *Set) edit() Tool {
	b := define("Edit", "Replaces text in a file. old_string must match exactly, blanks included, and occur only once "+
		"unless replace_all is set: give enough lines around it.", editSchema, s.runEdit)
	return previewed(s, b, func(in editInput) string { return in.FilePath }, func(before string, in editInput) (string, error) {
		return replace(before, in)
	})
}

func (s *Set) runEdit(ctx context.Context, in editInput, _ Input) (Result, error) {
	if in.OldString == in.NewString {
		return Result{}, errors.New("old_string and new_string are the same, so nothing would change")
	}
	p, err := s.locate(ctx, in.FilePath, toWrite)
	if err != nil {
		return Result{}, err
	}
	defer p.close()
	old, fi, err := p.text(ctx)
	if errors.Is(err, fs.ErrNotExist) && in.OldString == "" {
		err = nil
	}
	if err != nil {
		return Result{}, err
	}
	if fi != nil {
		if err := s.fresh(p, fi, old); err != nil {
			return Result{}, err
		}
	}
	text, err := replace(string(old), in)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", p.path, err)
	}
	if err := s.put(ctx, p, []byte(text), old, fi); err != nil {
		return Result{}, err
	}
	hunks := patch(string(old), text)
	said := fmt.Sprintf("Changed %s.", p.path)
	if in.ReplaceAll {
		said = fmt.Sprintf("Changed %s wherever the text stood.", p.path)
	}
	return result(said, editResponse{
		FilePath: p.path, OldString: in.OldString, NewString: in.NewString, OriginalFile: string(old),
		StructuredPatch: hunks, ReplaceAll: in.ReplaceAll,
	})
}

// replace returns the changed text.
func replace(text string, in editInput) (string, error) {
	if in.OldString == "" {
		if text != "" {
			return "", errors.New("old_string is empty, but the file is not; name the text to replace")
		}
		return in.NewString, nil
	}
	from, to := in.OldString, in.NewString
	count := strings.Count(text, from)
	if count == 0 && strings.Contains(text, "\r\n") {
		// The model saw the lines without their carriage returns.
		from, to = crlf(from), crlf(to)
		count = strings.Count(text, from)
	} else if usesCRLF(text) {
		to = crlf(to)
	}
	switch {
	case count == 0:
		return "", errors.New("old_string was not found" + near(text, in.OldString))
	case count > 1 && !in.ReplaceAll:
		return "", fmt.Errorf("old_string occurs %d times; add lines around it that make it unique, or set replace_all", count)
	}
	return strings.ReplaceAll(text, from, to), nil
}

// crlf ends each line with a carriage return and a newline.
func crlf(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

// usesCRLF reports whether all lines of a text end that way.
func usesCRLF(text string) bool {
	n := strings.Count(text, "\r\n")
	return n > 0 && n == strings.Count(text, "\n")
}

// near says where the text would be found if blanks did not count.
func near(text, want string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(want), "\n")
	first = strings.Join(strings.Fields(first), " ")
	if first == "" {
		return ""
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if strings.Contains(strings.Join(strings.Fields(line), " "), first) {
			return fmt.Sprintf("; line %d is like its first line but for blanks: read it again and copy it exactly", n)
		}
	}
	return ""
}

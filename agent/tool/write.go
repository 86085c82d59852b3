package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

const writeSchema = `{"type":"object","properties":{
"file_path":{"type":"string","description":"The file to write. Absolute, or relative to the working directory."},
"content":{"type":"string","description":"The whole new content."}
},"required":["file_path","content"],"additionalProperties":false}`

type writeInput struct {
	FilePath string `json:"file_path"`
	Content  string `json:"content"`
}

type writeResponse struct {
	Type            string  `json:"type"` // "create" or "update"
	FilePath        string  `json:"filePath"`
	Content         string  `json:"content"`
	StructuredPatch []hunk  `json:"structuredPatch"`
	OriginalFile    *string `json:"originalFile"`
	UserModified    bool    `json:"userModified"`
}

func (s *Set) write() Tool {
	b := define("Write", "Writes a file, in place of what it held before; one that exists has to be read first. Missing directories are made. "+
		"Prefer Edit for changes to an existing file.", writeSchema, s.runWrite)
	return previewed(s, b, func(in writeInput) string { return in.FilePath }, func(_ string, in writeInput) (string, error) { return in.Content, nil })
}

func (s *Set) runWrite(ctx context.Context, in writeInput, _ Input) (Result, error) {
	p, err := s.locate(ctx, in.FilePath, toWrite)
	if err != nil {
		return Result{}, err
	}
	defer p.close()
	old, fi, err := p.text(ctx)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Result{}, err
	}
	resp := writeResponse{Type: "create", FilePath: p.path, Content: in.Content, StructuredPatch: []hunk{}}
	if fi != nil {
		if err := errors.Join(s.known(p), s.fresh(p, fi, old)); err != nil {
			return Result{}, err
		}
		original := string(old)
		resp.Type, resp.OriginalFile = "update", &original
		resp.StructuredPatch = patch(original, in.Content)
	}
	if err := s.put(ctx, p, []byte(in.Content), old, fi); err != nil {
		return Result{}, err
	}
	if fi == nil {
		return result(fmt.Sprintf("Created %s (%d bytes).", p.path, len(in.Content)), resp)
	}
	return result(fmt.Sprintf("Wrote %s (%d bytes).", p.path, len(in.Content)), resp)
}

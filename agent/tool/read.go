package tool

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/hookline-dev/hookline/agent/model"
)

const (
	readLines     = 2000      // how many lines are read when nobody says
	readLineBytes = 2000      // how much of a line is shown
	readBytes     = 256 << 10 // how much is returned in all
	maxImage      = 5 << 20   // what providers take
)

const readSchema = `{"type":"object","properties":{
"file_path":{"type":"string","description":"The file to read. Absolute, or relative to the working directory."},
"offset":{"type":"integer","minimum":0,"description":"The line to start at, counted from 1."},
"limit":{"type":"integer","minimum":1,"description":"How many lines to read; 2000 if absent."}
},"required":["file_path"],"additionalProperties":false}`

type readInput struct {
	FilePath string `json:"file_path"`
	Offset   int    `json:"offset"`
	Limit    int    `json:"limit"`
}

type readFile struct {
	FilePath   string `json:"filePath"`
	Content    string `json:"content"`
	NumLines   int    `json:"numLines"`
	StartLine  int    `json:"startLine"`
	TotalLines int    `json:"totalLines"`
}

type readImage struct {
	Base64       string `json:"base64"`
	Type         string `json:"type"`
	OriginalSize int    `json:"originalSize"`
}

func (s *Set) read() Tool {
	return defineReader("Read", "Reads a file. Text comes with line numbers; PNG, JPEG, GIF and WebP files come as images, "+
		"PDF files as documents, and notebooks (.ipynb) as cells with their output. Use offset and limit for parts of long files; "+
		"they count cells in notebooks.", readSchema, s.runRead)
}

func (s *Set) runRead(ctx context.Context, in readInput, _ Input) (Result, error) {
	p, err := s.locate(ctx, in.FilePath, toRead)
	if err != nil {
		return Result{}, err
	}
	defer p.close()
	f, fi, err := p.open()
	if err != nil {
		return Result{}, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(ctxReader{ctx, f}, 64<<10)
	head, _ := r.Peek(8000)
	switch mt := http.DetectContentType(head); {
	case isImage(mt):
		return s.readImage(p, r, mt)
	case mt == "application/pdf":
		return s.readPDF(p, r)
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return Result{}, fmt.Errorf("%s is a binary file (%d bytes), which can not be shown as text", p.path, fi.Size())
	}
	var text []byte
	if p.inEditor() != "" {
		if text, _, err = p.text(ctx); err != nil {
			return Result{}, err
		}
		r = bufio.NewReader(bytes.NewReader(text))
	}
	if strings.HasSuffix(p.path, ".ipynb") {
		if text == nil {
			if text, _, err = p.text(ctx); err != nil {
				return Result{}, err
			}
		}
		if res, ok, err := readNotebook(p.path, text, in); ok {
			if err == nil {
				s.note(p, text)
			}
			return res, err
		}
	}
	in.Offset = max(in.Offset, 1)
	limit := in.Limit
	if limit == 0 {
		limit = readLines
	}
	part, err := readPart(r, in.Offset, limit)
	if err != nil {
		return Result{}, p.wrap(err)
	}
	s.note(p, text)
	return part.result(p.path, in)
}

// ctxReader ends with a context.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

func isImage(mt string) bool {
	switch mt {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

func (s *Set) readImage(p *place, r io.Reader, mt string) (Result, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxImage+1))
	if err != nil {
		return Result{}, p.wrap(err)
	}
	if len(data) > maxImage {
		return Result{}, fmt.Errorf("%s is an image larger than %d MiB, which no model takes", p.path, maxImage>>20)
	}
	encoded := base64.StdEncoding.EncodeToString(data)
	res, err := result("", struct {
		Type string    `json:"type"`
		File readImage `json:"file"`
	}{"image", readImage{encoded, mt, len(data)}})
	res.Content = []model.Block{{Type: model.ImageBlock, Source: &model.Image{Type: "base64", MediaType: mt, Data: encoded}}}
	return res, err
}

// part is a range of a file's lines.
type part struct {
	lines    []string
	total    int  // lines in the file
	full     bool // no more fits into the result
	replaced bool // bytes that are not UTF-8 were replaced
}

func readPart(r *bufio.Reader, offset, limit int) (*part, error) {
	var p part
	size := 0
	if bom, _ := r.Peek(3); string(bom) == "\ufeff" {
		r.Discard(3)
	}
	for {
		line, last, err := readLine(r)
		if err != nil {
			return &p, err
		}
		if p.total++; p.total >= offset && len(p.lines) < limit && !p.full {
			text := strings.TrimSuffix(string(line), "\r")
			if !utf8.ValidString(text) {
				p.replaced = true
				text = strings.ToValidUTF8(text, "\uFFFD")
			}
			if size += len(text) + 8; size > readBytes {
				p.full = true
			} else {
				p.lines = append(p.lines, text)
			}
		}
		if last {
			return &p, nil
		}
	}
}

// readLine reads a line of any length and keeps the beginning of a long one. The last
// is what stands behind the last newline, also when that is nothing.
func readLine(r *bufio.Reader) (line []byte, last bool, err error) {
	long := false
	for {
		data, err := r.ReadSlice('\n')
		if room := readLineBytes - len(line); !long && len(data) <= room+1 {
			line = append(line, bytes.TrimSuffix(data, []byte("\n"))...)
		} else if !long {
			for room > 0 && !utf8.RuneStart(data[room]) {
				room--
			}
			line = append(append(line, data[:room]...), " … (line cut)"...)
			long = true
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return line, true, nil
		}
		return line, false, err
	}
}

// about is a remark on what was read.
func about(text string) string { return "<system-reminder>" + text + "</system-reminder>" }

func (p *part) result(path string, in readInput) (Result, error) {
	var lines []string
	for i, line := range p.lines {
		lines = append(lines, fmt.Sprintf("%d\t%s", in.Offset+i, line))
	}
	text := strings.Join(lines, "\n")
	switch end := in.Offset + len(p.lines) - 1; {
	case p.total == 1 && len(p.lines) == 1 && p.lines[0] == "":
		text = about("The file is empty.")
	case in.Offset > p.total:
		text = about(fmt.Sprintf("The file has %d lines, so there is none at offset %d.", p.total, in.Offset))
	case end < p.total && len(p.lines) != in.Limit: // less than was asked for
		text += "\n" + about(fmt.Sprintf("These are lines %d to %d of %d; read on with offset %d.", in.Offset, end, p.total, end+1))
	}
	if p.replaced {
		text += "\n" + about("The file is not valid UTF-8; bytes that could not be shown appear as \uFFFD.")
	}
	return result(text, struct {
		Type string   `json:"type"`
		File readFile `json:"file"`
	}{"text", readFile{
		FilePath: path, Content: strings.Join(p.lines, "\n"), NumLines: len(p.lines),
		StartLine: in.Offset, TotalLines: p.total,
	}})
}

package tool

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
)

const (
	maxPDF        = 20 << 20 // what fits into a request
	maxCellOutput = 10 << 10 // how much of a cell's output is shown, in bytes
)

func (s *Set) readPDF(p *place, r io.Reader) (Result, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxPDF+1))
	if err != nil {
		return Result{}, p.wrap(err)
	}
	if len(data) > maxPDF {
		return Result{}, fmt.Errorf("%s is a PDF file larger than %d MiB, which no model takes", p.path, maxPDF>>20)
	}
	type file struct {
		FilePath     string `json:"filePath"`
		Base64       string `json:"base64"`
		OriginalSize int    `json:"originalSize"`
	}
	encoded := base64.StdEncoding.EncodeToString(data)
	res, err := result("", struct {
		Type string `json:"type"`
		File file   `json:"file"`
	}{"pdf", file{p.path, encoded, len(data)}})
	res.Content = []model.Block{{Type: model.DocumentBlock, Source: &model.Image{Type: "base64", MediaType: "application/pdf", Data: encoded}}}
	return res, err
}

// notebook is a file of Jupyter's. Of an output, what is not text or a picture is left out.
type notebook struct {
	Cells []struct {
		ID      string `json:"id"`
		Type    string `json:"cell_type"`
		Source  lines  `json:"source"`
		Outputs []struct {
			Type      string `json:"output_type"`
			Text      lines  `json:"text"`
			Traceback lines  `json:"traceback"`
			Data      struct {
				Text lines `json:"text/plain"`
				PNG  lines `json:"image/png"`
				JPEG lines `json:"image/jpeg"`
			} `json:"data"`
		} `json:"outputs"`
	} `json:"cells"`
}

// lines are a text, which notebooks have as one or in lines.
type lines string

func (l *lines) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '[' {
		return json.UnmarshalDecode(dec, (*string)(l))
	}
	var list []string
	err := json.UnmarshalDecode(dec, &list)
	*l = lines(strings.Join(list, ""))
	return err
}

// cell is what hooks see of a cell.
type cell struct {
	ID     string `json:"cell_id,omitzero"`
	Type   string `json:"cellType"`
	Source string `json:"source"`
	Output string `json:"output,omitzero"`
}

// readNotebook reads cells, of which offset and limit are numbers. It reports whether the text
// is a notebook.
func readNotebook(path string, text []byte, in readInput) (res Result, ok bool, err error) {
	var n notebook
	if err := json.Unmarshal(text, &n); err != nil || n.Cells == nil {
		return Result{}, false, nil
	}
	offset := max(in.Offset, 1)
	if offset > max(len(n.Cells), 1) {
		return Result{}, true, fmt.Errorf("%s has only %d cells, so there is none at offset %d", path, len(n.Cells), offset)
	}
	var shown strings.Builder
	var pictures []model.Block
	cells := []cell{}
	at := offset - 1
	for ; at < len(n.Cells) && (in.Limit == 0 || len(cells) < in.Limit); at++ {
		one := n.Cells[at]
		c := cell{ID: one.ID, Type: one.Type, Source: string(one.Source)}
		for _, o := range one.Outputs {
			c.Output += string(o.Text) + string(o.Traceback) + string(o.Data.Text)
			pictures = append(pictures, picture("image/png", o.Data.PNG)...)
			pictures = append(pictures, picture("image/jpeg", o.Data.JPEG)...)
		}
		if len(c.Output) > maxCellOutput {
			c.Output = strings.ToValidUTF8(c.Output[:maxCellOutput], "") + fmt.Sprintf("… (%d bytes in all)", len(c.Output))
		}
		text := c.show(at + 1)
		if len(cells) > 0 && shown.Len()+len(text) > readBytes {
			break
		}
		shown.WriteString(text)
		cells = append(cells, c)
	}
	if at < len(n.Cells) {
		fmt.Fprintf(&shown, "(cells %d to %d of %d; read on with offset %d)", offset, at, len(n.Cells), at+1)
	}
	type file struct {
		FilePath string `json:"filePath"`
		Cells    []cell `json:"cells"`
	}
	res, err = result(shown.String(), struct {
		Type string `json:"type"`
		File file   `json:"file"`
	}{"notebook", file{path, cells}})
	res.Content = append(res.Content, pictures...)
	return res, true, err
}

// picture is a picture of an output, if there is one that providers take.
func picture(mt string, data lines) []model.Block {
	if data == "" || len(data) > maxImage {
		return nil
	}
	encoded := strings.Join(strings.Fields(string(data)), "")
	return []model.Block{{Type: model.ImageBlock, Source: &model.Image{Type: "base64", MediaType: mt, Data: encoded}}}
}

// show is what a model reads of a cell.
func (c cell) show(number int) string {
	text := fmt.Sprintf("[cell %d, %s", number, c.Type)
	if c.ID != "" {
		text += ", id " + c.ID
	}
	text += "]\n" + strings.TrimSuffix(c.Source, "\n") + "\n"
	if c.Output == "" {
		return text + "\n"
	}
	return text + "[output]\n" + strings.TrimSuffix(c.Output, "\n") + "\n\n"
}

package redact

import (
	"bytes"
	"io"
)

// writerLimit is how much a Writer holds back of a text without line ends.
const writerLimit = 1 << 20

// Writer redacts what is written to it and passes it on by whole lines, so that a
// secret which arrives in pieces is seen whole. A block such as a private key is
// held back until its end. It is not safe for concurrent use.
type Writer struct {
	r   *Redactor
	w   io.Writer
	buf []byte
}

// NewWriter returns a Writer that writes to w. Close it to write what it holds back;
// w stays open.
func (r *Redactor) NewWriter(w io.Writer) *Writer { return &Writer{r: r, w: w} }

// Write takes all of p. The error is that of the underlying writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.buf = append(w.buf, p...)
	if bytes.IndexByte(p, '\n') < 0 && len(w.buf) < writerLimit {
		return len(p), nil
	}
	end := bytes.LastIndexByte(w.buf, '\n') + 1
	if at := openBlock(w.buf[:end]); at >= 0 && len(w.buf) < writerLimit {
		end = bytes.LastIndexByte(w.buf[:at], '\n') + 1
	}
	if len(w.buf)-end >= writerLimit {
		// One long line: what has no blank in it stays together.
		keep := max(reach, w.r.longest)
		end = len(w.buf) - keep
		if i := bytes.LastIndexAny(w.buf[:end], " \t,"); i > end-keep {
			end = i
		}
	}
	return len(p), w.flush(end)
}

// Close writes what was held back.
func (w *Writer) Close() error { return w.flush(len(w.buf)) }

func (w *Writer) flush(end int) error {
	if end <= 0 {
		return nil
	}
	_, err := io.WriteString(w.w, w.r.String(string(w.buf[:end])))
	w.buf = append(w.buf[:0], w.buf[end:]...)
	return err
}

// openBlock returns where a private key begins that has not ended yet, or -1.
func openBlock(b []byte) int {
	begin := bytes.LastIndex(b, []byte("-----BEGIN "))
	if begin < 0 || bytes.Contains(b[begin:], []byte("-----END ")) || !bytes.Contains(b[begin:], []byte("PRIVATE KEY")) {
		return -1
	}
	return begin
}

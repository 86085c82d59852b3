package jsonx

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
)

// Marshal encodes v as json.Marshal does, for what may be many megabytes. size is about how
// long the JSON gets: with it the text is made in its place once and never copied.
func Marshal(v any, size int, opts ...json.Options) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(size + size/3 + 512) // the encoder wants a quarter of what it wrote to be free
	err := json.MarshalWrite(&b, v, opts...)
	return b.Bytes(), err
}

// Writes is a line, given in pieces, as what is written one after the other: at once, but for
// a long one, which is not copied for that.
func Writes(line [][]byte) [][]byte {
	const long = 64 << 10
	size := 0
	for _, piece := range line {
		size += len(piece)
	}
	if size >= long {
		return line
	}
	return [][]byte{bytes.Join(line, nil)}
}

// ErrTooLong says that a line is longer than it may be.
var ErrTooLong = errors.New("the line is too long")

// ReadLine reads to the end of a line of at most limit bytes and returns it with its end. A
// last line that has no end is there beside io.EOF. What a long line is made of is put
// together once, since growing would copy it several times.
func ReadLine(r *bufio.Reader, limit int) ([]byte, error) {
	var parts [][]byte
	for size := 0; ; {
		part, err := r.ReadSlice('\n')
		if size += len(part); size > limit {
			return nil, ErrTooLong
		}
		parts = append(parts, bytes.Clone(part))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case len(parts) == 1:
			return parts[0], err
		default:
			return bytes.Join(parts, nil), err
		}
	}
}

// EachLine calls use for every line of r, which another program writes, that is not blank,
// without its end, until the end of r or an error of use. The line is use's to keep.
func EachLine(r io.Reader, limit int, use func(line []byte) error) error {
	from := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, err := ReadLine(from, limit)
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if err := use(text); err != nil {
				return fmt.Errorf("line %d of the program: %w", n, err)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, ErrTooLong):
			return fmt.Errorf("line %d of the program is longer than %d MiB", n, limit>>20)
		case err != nil:
			return fmt.Errorf("reading what the program writes: %w", err)
		}
	}
}

package builtinsh

import (
	"io"
	"os"
)

// tempInput keeps the input in a temporary file that has no name any more where the
// system has such files.
func tempInput(payload []byte) (*os.File, error) {
	f, err := os.CreateTemp("", "hookline-stdin-")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name())
	if err := fill(f, payload); err != nil {
		closeInput(f)
		return nil, err
	}
	return f, nil
}

// fill writes the input in place, which leaves the position at the beginning.
func fill(f *os.File, payload []byte) error {
	_, err := f.WriteAt(payload, 0)
	return err
}

// closeInput closes the file, and removes it where that could not be done before.
func closeInput(f *os.File) {
	f.Close()
	if f.Name() != "stdin" && f.Name() != os.DevNull {
		os.Remove(f.Name())
	}
}

// readLine reads one line from a file, without the line break. A file with a position
// is read in pieces and put back to the end of the line; others byte by byte, since
// what comes after the line is for somebody else. Without raw, a backslash before the
// line break continues the line. The error is io.EOF for a line without its break.
func readLine(f *os.File, raw bool) ([]byte, error) {
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return scanLine(oneByOne{f}, raw)
	}
	p := &pieces{file: f, at: at, buf: make([]byte, 0, 4<<10)}
	line, err := scanLine(p, raw)
	if _, errSeek := f.Seek(p.at+int64(p.next), io.SeekStart); err == nil || err == io.EOF {
		if errSeek != nil {
			err = errSeek
		}
	}
	return line, err
}

func scanLine(r io.ByteReader, raw bool) (line []byte, err error) {
	escaped := false
	for {
		b, err := r.ReadByte()
		switch {
		case err != nil:
			return line, err
		case b == 0: // no shell keeps one
		case b == '\n' && escaped && !raw:
			line = line[:len(line)-1]
			escaped = false
		case b == '\n':
			return line, nil
		default:
			escaped = b == '\\' && !escaped
			line = append(line, b)
		}
	}
}

type oneByOne struct{ f *os.File }

func (r oneByOne) ReadByte() (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(r.f, b[:])
	return b[0], err
}

// pieces reads a file ahead of its position.
type pieces struct {
	file *os.File
	at   int64 // where buf begins in the file
	buf  []byte
	next int
}

func (p *pieces) ReadByte() (byte, error) {
	if p.next == len(p.buf) {
		p.at += int64(len(p.buf))
		p.next = 0
		if p.at > 0 && len(p.buf) == cap(p.buf) {
			p.buf = make([]byte, 0, min(2*cap(p.buf), 256<<10))
		}
		n, err := p.file.ReadAt(p.buf[:cap(p.buf)], p.at)
		p.buf = p.buf[:n]
		if n == 0 {
			return 0, err
		}
	}
	b := p.buf[p.next]
	p.next++
	return b, nil
}

package audit

import (
	"bytes"
	"crypto/hmac"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/go-json-experiment/json"
)

// state is where a log begins and ends.
type state struct {
	// Seq and Hash are those of the last record, and First is the number of the oldest
	// that is kept.
	Seq   uint64 `json:"seq"`
	Hash  string `json:"hash"`
	First uint64 `json:"first,omitzero"`
}

// head says beside the log where it begins and ends, signed with the log's key: who
// changes the log without the key cannot make a head that fits.
//
// It is written before the records, with Next, and after them, without. So a process
// that is killed in between leaves a head that allows for both states of the log, and
// in every other case the log must be exactly what its head says.
type head struct {
	state
	// Size is the log's size after the record.
	Size int64 `json:"size"`
	// Next is where the log ends when the records that are being written are there.
	Next *state `json:"next,omitzero"`
	// Keep is of heads that were not signed: how many files are put aside before the
	// oldest goes.
	Keep int `json:"keep,omitzero"`
	// Key says which key it was, and MAC is HMAC-SHA256 over all of the above.
	Key string `json:"key,omitzero"`
	MAC string `json:"mac,omitzero"`
}

// headSize is the size of the head's file. It is written in place, in one piece.
const headSize = 768

// save writes a head's content to files, those that are nil apart.
func save(content []byte, files ...*os.File) error {
	for _, f := range files {
		if f == nil {
			continue
		}
		if _, err := f.WriteAt(content, 0); err != nil {
			return fmt.Errorf("writing the end of the audit chain: %w", err)
		}
	}
	return nil
}

var (
	errNoHead   = errors.New("its signed end is missing")
	errUnsigned = errors.New("its end is not signed")
	errForged   = errors.New("its end was not signed with its key")
)

// encode signs the head and returns its file's content.
func (h head) encode(k key) ([]byte, error) {
	h.Key, h.MAC = k.id, ""
	body, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encoding the end of the audit chain: %w", err)
	}
	mac := k.sign(body)
	body = append(body[:len(body)-1], `,"mac":"`+mac+`"}`...)
	return append(append(body, bytes.Repeat([]byte(" "), max(0, headSize-1-len(body)))...), '\n'), nil
}

// decodeHead reads a head and checks who signed it. One without a signature is returned
// with errUnsigned.
func decodeHead(b []byte, k key) (head, error) {
	if len(b) == 0 {
		return head{}, errNoHead
	}
	var h head
	if err := json.Unmarshal(bytes.TrimSpace(b), &h, json.RejectUnknownMembers(true)); err != nil {
		return head{}, fmt.Errorf("its signed end cannot be read: %w", err)
	}
	if h.Size < 0 || len(h.Hash) != hashLen && (h.Hash != "" || h.Seq != 0) {
		return head{}, errors.New("its signed end makes no sense")
	}
	if h.MAC == "" {
		return h, errUnsigned
	}
	if k.secret == nil {
		return head{}, errors.New("the key that its end was signed with is missing")
	}
	// No byte of the file may differ from what was written.
	if want, err := h.encode(k); err != nil || !hmac.Equal(want, b) {
		return head{}, errForged
	}
	return h, nil
}

// readHead reads the content of a head's file, and a byte more where there is more.
func readHead(file io.ReaderAt) ([]byte, error) {
	buf := make([]byte, headSize+1)
	n, err := file.ReadAt(buf, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("its signed end cannot be read: %w", err)
	}
	return buf[:n], nil
}

// openHead reads the head in a file and checks it.
func openHead(path string, k key) (head, error) {
	file, err := openRegular(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return head{}, errNoHead
	}
	if err != nil {
		return head{}, err
	}
	defer file.Close()
	b, err := readHead(file)
	if err != nil {
		return head{}, err
	}
	return decodeHead(b, k)
}

// follows says what is after the last record of a log.
type follows bool

const (
	nothing        follows = false
	unfinishedLine follows = true
)

// doubt says why a log that ends with last, nil for an empty one, is not the one that
// its head is about, "" when it is. err is that of reading the head.
func (h head) doubt(err error, k key, last *Record, rest follows) string {
	end := state{}
	signed := false
	if last != nil {
		end, signed = state{Seq: last.Seq, Hash: last.Hash}, last.Key != ""
	}
	switch {
	case errors.Is(err, errUnsigned) && k.unused && !signed:
		// A log of a version that signed nothing: its head is what it was.
		if h.Seq > end.Seq {
			return missingAtEnd(h.Seq, end.Seq)
		}
		if h.Seq == end.Seq && h.Hash != end.Hash {
			return otherLast(end.Seq)
		}
		return ""
	case k.unused && last == nil && rest == nothing && (errors.Is(err, errNoHead) || err != nil && k.secret != nil && !errors.Is(err, errForged)):
		return "" // nothing was written yet, a head perhaps half
	case err != nil:
		return err.Error()
	}
	most := h.state
	if h.Next != nil {
		most = *h.Next
	} else if rest == unfinishedLine {
		return "something was added after the last record"
	}
	switch {
	case end.Seq < h.Seq:
		return missingAtEnd(h.Seq, end.Seq)
	case end.Seq > most.Seq:
		return fmt.Sprintf("its signed end is record %d, and there are records up to %d", most.Seq, end.Seq)
	case end.Seq == h.Seq && end.Hash != h.Hash, end.Seq == most.Seq && h.Next != nil && end.Hash != most.Hash:
		return otherLast(end.Seq)
	}
	return ""
}

// differs says how the head in a second place, and the error of reading it, does not
// belong to the log, "" when it does.
func (h head) differs(second head, err error) string {
	switch {
	case err != nil:
		return "in the second place " + err.Error()
	case second.state == h.state, h.Next != nil && second.state == *h.Next:
		return ""
	}
	return fmt.Sprintf("its signed end is record %d, and in the second place record %d", h.Seq, second.Seq)
}

func missingAtEnd(want, last uint64) string {
	return fmt.Sprintf("%s missing at the end: the last that was written is %d", records(want-last), want)
}

func otherLast(seq uint64) string {
	return fmt.Sprintf("the last record, %d, is not the one that was written", seq)
}

package audit

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestRandomTampering cuts and edits logs and their heads at random, as somebody does who
// has not the key: none is called intact, before the next record and after it.
func TestRandomTampering(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "template")
	o := Options{Path: filepath.Join(dir, "audit.jsonl"), Environ: []string{}, MaxBytes: 3000, Keep: 2}
	l := New(o)
	for range 30 {
		must(t, l.Note(Record{Reason: "what happened", Decision: "deny"}))
	}
	must(t, l.Close())
	if r, err := Verify(o); err != nil || !r.Intact() || len(r.Files) != 3 || r.First == 1 {
		t.Fatalf("%v %+v", err, r)
	}
	original := content(t, dir)
	rounds := 1000
	if testing.Short() {
		rounds = 100
	}
	for i := range rounds {
		rnd := rand.New(rand.NewPCG(uint64(i), 7))
		p := filepath.Join(copyDir(t, dir), "audit.jsonl")
		for n := 1 + rnd.IntN(3); n > 0 || bytes.Equal(content(t, filepath.Dir(p)), original); n-- {
			tamper(t, p, rnd)
		}
		o := o
		o.Path, o.MaxBytes = p, 1<<20 // so that no evidence is old enough to go
		if found(t, o); t.Failed() {
			t.Fatalf("round %d", i)
		}
		must(t, os.RemoveAll(filepath.Dir(p)))
	}
}

// content is all that tampering can change.
func content(t *testing.T, dir string) []byte {
	t.Helper()
	var all []byte
	for _, n := range []string{"audit.jsonl.2", "audit.jsonl.1", "audit.jsonl", "audit.jsonl.head"} {
		b, err := os.ReadFile(filepath.Join(dir, n))
		all = append(append(all, n...), b...)
		if err != nil {
			all = append(all, '!')
		}
	}
	return all
}

// tamper does one thing to one file. A file that is gone is left alone.
func tamper(t *testing.T, path string, rnd *rand.Rand) {
	t.Helper()
	file := path + []string{"", "", ".1", ".2", ".head", ".head"}[rnd.IntN(6)]
	data, err := os.ReadFile(file)
	if err != nil {
		return
	}
	at := func(n int) int { return rnd.IntN(max(n, 1)) }
	lines := bytes.SplitAfter(data, []byte("\n"))
	lines = lines[:len(lines)-1]
	i, j := at(len(lines)), at(len(lines))
	join := func(l [][]byte) { data = bytes.Join(l, nil) }
	switch n := at(12); {
	case n == 0: // a cut anywhere
		data = data[:at(len(data))]
	case n == 1 && len(lines) > 0: // lines at the end
		join(lines[:i])
	case n == 2 && len(lines) > 0: // lines at the beginning
		join(lines[i:])
	case n == 3 && len(lines) > 0: // one line
		join(slices.Delete(lines, i, i+1))
	case n == 4 && len(lines) > 0:
		lines[i], lines[j] = lines[j], lines[i]
		join(lines)
	case n == 5 && len(lines) > 0:
		join(slices.Insert(lines, j, lines[i]))
	case n == 6 && len(data) > 0: // a byte
		data = bytes.Clone(data)
		data[at(len(data))] ^= byte(1 + rnd.IntN(255))
	case n == 7: // something more
		k := at(len(data) + 1)
		data = slices.Concat(data[:k], []byte([]string{"\n", " ", "x", `{"seq":31}` + "\n"}[at(4)]), data[k:])
	case n == 8:
		must(t, os.Remove(file))
		return
	case n == 9: // the newest records exchanged, with a chain that fits
		if _, err := os.Stat(path); err != nil {
			return
		}
		must(t, reseal(path, func(rs []Record) []Record {
			if len(rs) == 0 {
				return []Record{{Seq: 1}}
			}
			rs[at(len(rs))].Decision = "allow"
			return rs[:1+at(len(rs))]
		}))
		return
	case n == 10: // an end that fits, of a version that signed nothing
		if _, err := os.Stat(path); err == nil {
			must(t, unsignedHead(path))
		}
		return
	case n == 11: // an end that fits, signed with another key
		if _, err := os.Stat(path); err == nil {
			must(t, forgedHead(path))
		}
		return
	}
	must(t, os.WriteFile(file, data, 0o600))
}

// forgedHead signs a head that fits with another key, under the name of the right one.
func forgedHead(path string) error {
	real, err := readKey(path + ".key")
	if err != nil {
		return err
	}
	other := newKey(bytes.Repeat([]byte{1}, keySize))
	other.id = real.id
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	last, _, err := lastRecord(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	if last == nil {
		last = &Record{}
	}
	h := head{state: state{last.Seq, last.Hash, (&file{path: path}).first()}, Size: int64(len(data))}
	b, err := h.encode(other)
	return errors.Join(err, os.WriteFile(path+".head", b, 0o600))
}

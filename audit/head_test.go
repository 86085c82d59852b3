package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// announce leaves the head as a writer does that is about to add n records.
func announce(t *testing.T, path string, n uint64) {
	t.Helper()
	k, err := readKey(path + ".key")
	must(t, err)
	h, err := openHead(path+".head", k)
	must(t, err)
	next := state{Seq: h.Seq + n, Hash: strings.Repeat("0", hashLen), First: max(h.First, 1)}
	h.Next = &next
	b, err := h.encode(k)
	must(t, err)
	must(t, os.WriteFile(path+".head", b, 0o600))
}

// add puts text at the end of a file.
func add(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(text)
	must(t, errors.Join(err, f.Close()))
}

// found fails unless the log has faults, before and after the next record, and returns
// what is said of it before.
func found(t *testing.T, o Options) string {
	t.Helper()
	report, err := Verify(o)
	if err != nil || report.Intact() {
		t.Errorf("called intact: %v %+v", err, report)
	}
	o.Environ, o.Keep = []string{}, max(o.Keep, defaultKeep)
	l := New(o)
	defer l.Close()
	must(t, l.Note(Record{Reason: "the next record"}))
	if after, err := Verify(o); err != nil || after.Intact() {
		t.Errorf("called intact after the next record: %v %+v\nbefore: %v", err, after, report.Faults)
	}
	return fmt.Sprint(report.Faults)
}

// TestHiddenEnd takes away what was written last, and all that would say so.
func TestHiddenEnd(t *testing.T) {
	cut := func(p string) error { return dropLast(p) }
	for name, c := range map[string]struct {
		tamper func(path string) error
		says   string
	}{
		"the last line and the head": {func(p string) error { return errors.Join(cut(p), os.Remove(p+".head")) }, "signed end is missing"},
		"the head":                   {func(p string) error { return os.Remove(p + ".head") }, "signed end is missing"},
		"an empty head":              {func(p string) error { return os.Truncate(p+".head", 0) }, "signed end is missing"},
		"half a head":                {func(p string) error { return os.Truncate(p+".head", 40) }, "cannot be read"},
		"a head without signature":   {func(p string) error { return errors.Join(cut(p), unsignedHead(p)) }, "not signed"},
		"that, and the key":          {func(p string) error { return errors.Join(cut(p), unsignedHead(p), os.Remove(p+".key")) }, "not signed"},
		"the key":                    {func(p string) error { return os.Remove(p + ".key") }, "key that its end was signed with is missing"},
		"the key and the head":       {func(p string) error { return errors.Join(cut(p), os.Remove(p+".head"), os.Remove(p+".key")) }, "signed end is missing"},
		"another key":                {func(p string) error { return os.WriteFile(p+".key", []byte(strings.Repeat("ab", keySize)+"\n"), 0o600) }, "not signed with its key"},
		"all but the key":            {func(p string) error { return errors.Join(os.Remove(p), os.Remove(p+".head")) }, "signed end is missing"},
		"an emptied log, no head":    {func(p string) error { return errors.Join(os.Truncate(p, 0), os.Remove(p+".head")) }, "signed end is missing"},
		"a blank in the head":        {func(p string) error { return blankHead(p) }, "not signed with its key"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.jsonl")
			fill(t, path, 5)
			must(t, c.tamper(path))
			if got := found(t, Options{Path: path}); !strings.Contains(got, c.says) {
				t.Errorf("it says %s, want %q", got, c.says)
			}
		})
	}
	t.Run("a key that is none", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		fill(t, path, 5)
		must(t, os.WriteFile(path+".key", []byte("x"), 0o600))
		if r, err := Verify(Options{Path: path}); err != nil || r.Intact() {
			t.Errorf("%v %+v", err, r)
		}
		l := New(Options{Path: path, Environ: []string{}})
		defer l.Close()
		if err := l.Note(Record{}); err == nil {
			t.Error("written without a key")
		}
	})
}

// dropLast removes the last line of a file.
func dropLast(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	i := strings.LastIndexByte(strings.TrimSuffix(string(data), "\n"), '\n') + 1
	return os.Truncate(path, int64(i))
}

// unsignedHead writes the head that fits the log, as versions did that had no key.
func unsignedHead(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	last, _, err := lastRecord(strings.NewReader(string(data)), int64(len(data)))
	if err != nil {
		return err
	}
	if last == nil {
		last = &Record{}
	}
	text := fmt.Sprintf(`{"seq":%d,"hash":%q,"size":%d,"keep":5}`, last.Seq, last.Hash, len(data))
	return os.WriteFile(path+".head", fmt.Appendf(nil, "%-191s\n", text), 0o600)
}

func blankHead(path string) error {
	data, err := os.ReadFile(path + ".head")
	if err != nil {
		return err
	}
	data[len(data)-2] = '\t'
	return os.WriteFile(path+".head", data, 0o600)
}

// TestSecondPlace puts a whole older log in the place of a newer one.
func TestSecondPlace(t *testing.T) {
	dir := t.TempDir()
	o := Options{Path: filepath.Join(dir, "log", "audit.jsonl"), Second: filepath.Join(dir, "elsewhere"), Environ: []string{}}
	l := New(o)
	defer l.Close()
	write := func(n int) {
		for range n {
			must(t, l.Note(Record{Reason: "x"}))
		}
		if r, err := Verify(o); err != nil || !r.Intact() {
			t.Fatalf("%v %v", err, r.Faults)
		}
	}
	write(3)
	before := copyDir(t, filepath.Dir(o.Path))
	write(2)
	must(t, l.Close())
	restored := o
	restored.Path = filepath.Join(before, "audit.jsonl")
	if got := found(t, restored); !strings.Contains(got, "is record 3, and in the second place record 5") {
		t.Error(got)
	}
	must(t, os.Remove(o.Second))
	if r, err := Verify(o); err != nil || r.Intact() {
		t.Errorf("the second head is gone: %v %+v", err, r)
	}
	must(t, os.Mkdir(o.Second, 0o700))
	blocked := New(o)
	defer blocked.Close()
	if err := blocked.Note(Record{}); err == nil {
		t.Error("written without the second head")
	}
}

func copyDir(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	must(t, os.CopyFS(to, os.DirFS(from)))
	return to
}

// TestKilledBetweenTheWrites leaves the files in each state in which a kill may leave
// them.
func TestKilledBetweenTheWrites(t *testing.T) {
	// Written are 12 records, of which one is the newest file's only one.
	o := Options{Environ: []string{}, MaxBytes: 1200, Keep: 2}
	before, after := t.TempDir(), ""
	o.Path = filepath.Join(before, "audit.jsonl")
	l := New(o)
	files := 0
	for n := 0; ; n++ {
		must(t, l.Note(Record{Reason: "some text"}))
		info, err := os.Stat(o.Path)
		must(t, err)
		rotated := info.Size() < int64(files)
		files = int(info.Size())
		if n > 12 && rotated {
			after = copyDir(t, filepath.Dir(o.Path))
			break
		}
		if n > 11 {
			before = copyDir(t, filepath.Dir(o.Path))
		}
	}
	must(t, l.Close())
	name := "audit.jsonl"
	line, err := os.ReadFile(filepath.Join(after, name))
	must(t, err)
	k, err := readKey(filepath.Join(after, name+".key"))
	must(t, err)
	old, err := openHead(filepath.Join(before, name+".head"), k)
	must(t, err)
	done, err := openHead(filepath.Join(after, name+".head"), k)
	must(t, err)
	if done.First == old.First {
		t.Fatal("no file went")
	}
	old.Next = &done.state
	intent, err := old.encode(k)
	must(t, err)

	steps := []func(p string) error{
		func(p string) error { return os.WriteFile(p+".head", intent, 0o600) },
		func(p string) error { return os.Rename(p, p+".0") },
		func(p string) error { return os.Remove(p + ".2") },
		func(p string) error { return os.Rename(p+".1", p+".2") },
		func(p string) error { return os.Rename(p+".0", p+".1") },
		func(p string) error { return os.WriteFile(p, nil, 0o600) },
		func(p string) error { return os.WriteFile(p, line[:20], 0o600) },
		func(p string) error { return os.WriteFile(p, line, 0o600) },
	}
	for n := range len(steps) + 1 {
		dir := copyDir(t, before)
		o := o
		o.Path = filepath.Join(dir, name)
		for _, step := range steps[:n] {
			must(t, step(o.Path))
		}
		l := New(o)
		for range 3 {
			if r, err := Verify(o); err != nil || !r.Intact() {
				t.Errorf("after %d steps: %v %v", n, err, r.Faults)
			}
			must(t, l.Note(Record{Reason: "goes on"}))
		}
		must(t, l.Close())
	}
}

// TestKilledAtFirstUse leaves the files as the very first record may.
func TestKilledAtFirstUse(t *testing.T) {
	for name, leave := range map[string]func(p string) error{
		"half a key": func(p string) error { return os.WriteFile(p+".key.new", []byte("ab"), 0o600) },
		"a key":      func(p string) error { return errors.Join(os.Rename(p+".key", p+".key.new"), os.Truncate(p+".head", 0)) },
		"half a head, disk full": func(p string) error {
			return errors.Join(os.Rename(p+".key", p+".key.new"), os.Truncate(p+".head", 10))
		},
		"a head":      func(p string) error { return os.Rename(p+".key", p+".key.new") },
		"a named key": func(string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.jsonl")
			if name != "half a key" {
				k, err := makeKey(path + ".key")
				must(t, err)
				must(t, os.Rename(path+".key.new", path+".key"))
				b, err := head{Next: &state{Seq: 1, Hash: strings.Repeat("0", hashLen), First: 1}}.encode(k)
				must(t, err)
				must(t, os.WriteFile(path+".head", b, 0o600))
				must(t, os.WriteFile(path, nil, 0o600))
			}
			must(t, leave(path))
			if r, err := Verify(Options{Path: path}); err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && !r.Intact() {
				t.Errorf("%v %v", err, r.Faults)
			}
			fill(t, path, 2)
			intact(t, path)
			if _, err := os.Stat(path + ".key.new"); err == nil {
				t.Error("the key has no name")
			}
		})
	}
}

// TestLogOfAnOlderVersion goes on with a log that nobody signed.
func TestLogOfAnOlderVersion(t *testing.T) {
	older := func(t *testing.T) string {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		fill(t, path, 4)
		must(t, reseal(path, func(rs []Record) []Record {
			for i := range rs {
				rs[i].Key = ""
			}
			return rs
		}))
		must(t, errors.Join(unsignedHead(path), os.Remove(path+".key")))
		return path
	}
	path := older(t)
	if r := intact(t, path); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "older version") {
		t.Errorf("%+v", r)
	}
	must(t, os.WriteFile(path+".key.new", []byte(strings.Repeat("ab", keySize)+"\n"), 0o600)) // killed at the first record
	intact(t, path)
	fill(t, path, 2)
	if r := intact(t, path); len(r.Notes) != 0 || r.Records != 6 {
		t.Errorf("%+v", r)
	}
	found(t, Options{Path: func() string { must(t, errors.Join(dropLast(path), unsignedHead(path))); return path }()})

	path = older(t)
	must(t, dropLast(path))
	found(t, Options{Path: path})

	// The older version writes once more.
	path = older(t)
	fill(t, path, 1)
	must(t, reseal(path, func(rs []Record) []Record { return append(rs, Record{Seq: 6, Kind: KindNote}) }))
	must(t, unsignedHead(path))
	found(t, Options{Path: path})
}

// reseal changes the records of a file and computes their chain anew.
func reseal(path string, change func([]Record) []Record) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var all []Record
	prev := ""
	for line := range strings.Lines(string(data)) {
		r, err := open([]byte(strings.TrimSuffix(line, "\n")))
		if err != nil {
			continue
		}
		if all = append(all, r); len(all) == 1 {
			prev = r.Prev
		}
	}
	var out []byte
	for _, r := range change(all) {
		line, hash, err := seal(&r, prev)
		if err != nil {
			return err
		}
		prev = hash
		out = append(out, line...)
	}
	return os.WriteFile(path, out, 0o600)
}

// TestTheEndIsSignedBeforeTheRecords has the write of a record fail: its head must allow
// for both states of the log.
func TestTheEndIsSignedBeforeTheRecords(t *testing.T) {
	l, path := newLog(t)
	must(t, l.Note(Record{Reason: "one"}))
	must(t, l.file.log.Close())
	var err error
	l.file.log, err = os.Open(path) // for reading only
	must(t, err)
	if err := l.file.write(state{Seq: 1, Hash: collect(t, path, Filter{})[0].Hash, First: 1}, []Record{{Kind: KindNote}}, nil); err == nil {
		t.Fatal("written to a file that is open for reading")
	}
	h, err := openHead(path+".head", l.file.k)
	if err != nil || h.Seq != 1 || h.Next == nil || h.Next.Seq != 2 {
		t.Errorf("%v %+v", err, h)
	}
	intact(t, path)
}

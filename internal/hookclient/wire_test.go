package hookclient

import (
	"bufio"
	"bytes"
	"reflect"
	"testing"
)

// FuzzRequest reads what may come from anybody: what can be read is what was sent, and no
// length that is announced is believed.
func FuzzRequest(f *testing.F) {
	var b bytes.Buffer
	if err := (&Request{Key: []byte("k"), Host: "claude", Event: "Stop", Dir: "/p", Payload: []byte("{}"), Environ: []string{"A=b", ""}}).Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(version + "\xff\xff\xff\xff\x7f"))
	f.Add([]byte("hookline 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := ReadRequest(bufio.NewReader(bytes.NewReader(data)))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := q.Write(&again); err != nil {
			t.Fatal(err)
		}
		back, err := ReadRequest(bufio.NewReader(&again))
		if err != nil || !reflect.DeepEqual(q, back) {
			t.Errorf("%+v became %+v, %v", q, back, err)
		}
	})
}

// FuzzAnswer reads what may come in an engine's place.
func FuzzAnswer(f *testing.F) {
	for _, a := range []Answer{{Code: 2, Stderr: []byte("no")}, {Stdout: []byte("{}")}, {Again: true}} {
		var b bytes.Buffer
		if err := a.Write(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(append([]byte("aa"), b.Bytes()...))
		f.Add(b.Bytes()[:b.Len()-1])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := readAnswer(bufio.NewReader(bytes.NewReader(data)), func() {})
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := a.Write(&again); err != nil {
			t.Fatal(err)
		}
		if sent := bytes.TrimLeft(data, "a"); a.Again == (sent[0] == answered) || len(sent) < 4 {
			t.Errorf("%q became %+v", sent, a)
		}
		back, err := readAnswer(bufio.NewReader(&again), func() {})
		if err != nil || !reflect.DeepEqual(a, back) {
			t.Errorf("%+v became %+v, %v", a, back, err)
		}
	})
}

// TestACutRequestIsNone cuts a request at every byte: half a payload would be another one.
func TestACutRequestIsNone(t *testing.T) {
	var b bytes.Buffer
	if err := (&Request{Key: []byte("k"), Host: "claude", Event: "Stop", Payload: []byte("{}"), Environ: []string{"A=b"}}).Write(&b); err != nil {
		t.Fatal(err)
	}
	for i := range b.Len() {
		if q, err := ReadRequest(bufio.NewReader(bytes.NewReader(b.Bytes()[:i]))); err == nil {
			t.Errorf("cut at byte %d it is %+v", i, q)
		}
	}
}

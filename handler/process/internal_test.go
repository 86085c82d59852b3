package process

import (
	"bytes"
	"testing"
	"time"
	"unicode/utf8"
)

// feedAll cuts data by the sizes in cuts and passes the pieces to f.
func feedAll(data, cuts []byte, f func([]byte)) {
	for i := 0; len(data) > 0; i++ {
		n := 1
		if len(cuts) > 0 {
			n = int(cuts[i%len(cuts)])%7 + 1
		}
		n = min(n, len(data))
		f(data[:n])
		data = data[n:]
	}
}

// FuzzPartialRune checks that chunks add up to the input and that none ends in
// the middle of a rune of valid text.
func FuzzPartialRune(f *testing.F) {
	f.Add([]byte("aé漢🙂"), []byte{0})
	f.Add([]byte("\xf0\x9f\x99"), []byte{1})
	f.Add([]byte("\xff\xfe\x80\x80\x80\x80"), []byte{2, 1})
	f.Fuzz(func(t *testing.T, data, cuts []byte) {
		var p partialRune
		var got []byte
		feedAll(data, cuts, func(b []byte) {
			chunk := p.join(b)
			if utf8.Valid(data) && !utf8.Valid(chunk) {
				t.Errorf("chunk %q of %q", chunk, data)
			}
			got = append(got, chunk...)
		})
		if got = append(got, p.rest()...); !bytes.Equal(got, data) {
			t.Errorf("got %q, want %q", got, data)
		}
	})
}

// FuzzCapture checks both captures against the plain definition.
func FuzzCapture(f *testing.F) {
	f.Add([]byte("abcdefghijklmnopqrstuvwxyz"), []byte{3}, uint8(5))
	f.Add([]byte("abc"), []byte{1}, uint8(0))
	f.Fuzz(func(t *testing.T, data, cuts []byte, lim uint8) {
		limit := int(lim)
		for _, tail := range []bool{false, true} {
			c := capture{limit: limit, tail: tail}
			feedAll(data, cuts, func(b []byte) {
				for len(b) > 0 {
					n := copy(c.space(), b)
					c.commit(c.space()[:n])
					b = b[n:]
				}
			})
			want := data[:min(limit, len(data))]
			if tail {
				want = data[max(0, len(data)-limit):]
			}
			kept, total, truncated := c.result()
			if !bytes.Equal(kept, want) || total != int64(len(data)) || truncated != (len(data) > limit) {
				t.Errorf("tail %v: kept %q of %q, limit %d, total %d, truncated %v", tail, kept, data, limit, total, truncated)
			}
		}
	})
}

func TestUnsafeBatchArguments(t *testing.T) {
	for _, tc := range []struct {
		path string
		arg  string
		bad  bool
	}{
		{`C:\x\run.bat`, "plain-1.txt", false},
		{`C:\x\run.BAT`, "a&calc", true},
		{`C:\x\run.cmd`, `"`, true},
		{`C:\x\run.cmd`, "%PATH%", true},
		{`C:\x\run.cmd. `, "a|b", true},
		{`C:\x\run.exe`, "a&calc", false},
	} {
		if _, bad := unsafeBatch(tc.path, []string{"ok", tc.arg}); bad != tc.bad {
			t.Errorf("%s %q: %v", tc.path, tc.arg, bad)
		}
	}
}

func TestMatchName(t *testing.T) {
	for _, tc := range []struct {
		pattern, name string
		want          bool
	}{
		{"A", "A", true},
		{"A", "AB", false},
		{"A*", "AB", true},
		{"*B", "AB", true},
		{"*B", "BA", false},
		{"*B*", "ABC", true},
		{"A*C*E", "ABCDE", true},
		{"A*C*E", "ABDE", false},
		{"*", "", true},
		{"A*A", "A", false},
	} {
		if got := matchName(tc.pattern, tc.name); got != tc.want {
			t.Errorf("%q on %q: %v", tc.pattern, tc.name, got)
		}
	}
}

func TestFirstLine(t *testing.T) {
	for _, tc := range []struct {
		in, line string
		complete bool
	}{
		{"", "", false}, {"\n \n", "", false}, {"a", "a", false}, {"a\r\nb", "a", true}, {"\r\n\n x \ny", " x ", true},
	} {
		line, complete := firstLine([]byte(tc.in))
		if string(line) != tc.line || complete != tc.complete {
			t.Errorf("%q: %q %v", tc.in, line, complete)
		}
	}
}

func TestOuterRunKeepsItsMark(t *testing.T) {
	got := childEnv([]string{"PWD=/old", runVariable + "=outer", "A=1"}, "/new", "inner")
	want := []string{"A=1", "PWD=/new", runVariable + "=outer:inner"}
	for i, kv := range want {
		if i >= len(got) || got[i] != kv {
			t.Fatalf("got %q", got)
		}
	}
}

func TestExitSaysWhatHappened(t *testing.T) {
	for _, tc := range []struct {
		exit    Exit
		says    string
		success bool
	}{
		{Exit{}, "exit status 0", true},
		{Exit{Code: 2}, "exit status 2", false},
		{Exit{Code: -1, Signal: "SIGSEGV"}, "killed by SIGSEGV", false},
		{Exit{Code: -1, Signal: "SIGKILL", TimedOut: true, Duration: 1500 * time.Millisecond}, "timed out after 1.5s", false},
		{Exit{Code: 0, Cancelled: true, Cause: ErrKilled, Duration: time.Second}, "cancelled after 1s: killed by its owner", false},
		{Exit{Code: 0, TimedOut: true, Duration: time.Second}, "timed out after 1s", false},
	} {
		if tc.exit.String() != tc.says || tc.exit.Success() != tc.success {
			t.Errorf("%q, success %v, want %q", tc.exit.String(), tc.exit.Success(), tc.says)
		}
	}
}

func TestEachReasonHasItsOwnWords(t *testing.T) {
	seen := make(map[string]bool)
	for r := ReasonOther; r <= ReasonUnsafeArgument; r++ {
		if seen[r.String()] {
			t.Errorf("reason %d: %q again", r, r)
		}
		seen[r.String()] = true
	}
}

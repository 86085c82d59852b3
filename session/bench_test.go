package session_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/session"
)

// long makes a session with n messages and returns its file.
func long(tb testing.TB, n int) string {
	tb.Helper()
	s, err := session.Create(tb.TempDir(), session.Options{NoSync: true})
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
	f, err := os.OpenFile(s.Path(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		tb.Fatal(err)
	}
	w := bufio.NewWriter(f)
	text, parent := strings.Repeat("some words of a message ", 12), "null"
	for i := range n {
		fmt.Fprintf(w, `{"type":"message","id":"e%d","parentId":%s,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user","content":%q}}`+"\n", i, parent, text)
		parent = fmt.Sprintf(`"e%d"`, i)
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		tb.Fatal(err)
	}
	return s.Path()
}

func BenchmarkOpen100k(b *testing.B) {
	path := long(b, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		s, err := session.Open(path, session.Options{ReadOnly: true})
		if err != nil {
			b.Fatal(err)
		}
		if s.Len() != 100_000 {
			b.Fatal(s.Len())
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{0, 100_000} {
		b.Run(fmt.Sprintf("after%d", n), func(b *testing.B) {
			s, err := session.Open(long(b, n), session.Options{NoSync: true})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			e := user("hello")
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Append(e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendSync(b *testing.B) {
	s, err := session.Create(b.TempDir(), session.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	e := user("hello")
	for b.Loop() {
		if _, err := s.Append(e); err != nil {
			b.Fatal(err)
		}
		if err := s.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

// Opening a long session must stay far from the time it takes to decode it. The
// bound is generous: it catches a reader that does work per entry that it
// shouldn't, not a slow machine.
func TestOpenLongSession(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 100,000 entries")
	}
	path := long(t, 100_000)
	start := time.Now()
	s, err := session.Open(path, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	took := time.Since(start)
	t.Logf("opened in %v", took)
	if took > 2*time.Minute {
		t.Errorf("opening took %v", took)
	}
	if s.Len() != 100_000 {
		t.Errorf("%d entries", s.Len())
	}
	add(t, s, user("last"))
}

package session_test

import (
	"fmt"
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
	e := user(strings.Repeat("some words of a message ", 12))
	for range n {
		if _, err := s.Append(e); err != nil {
			tb.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
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
	if took > 10*time.Second {
		t.Errorf("opening took %v", took)
	}
	if s.Len() != 100_000 {
		t.Errorf("%d entries", s.Len())
	}
	add(t, s, user("last"))
}

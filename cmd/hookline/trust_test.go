package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestTrustAsksThePerson(t *testing.T) {
	s := newStage(t)
	s.guard()
	s.asks = true
	for _, c := range []struct {
		answer, standing string
	}{{"n\n", "new"}, {"", "new"}, {"yes\n", "approved"}} {
		s.in = strings.NewReader(c.answer)
		if err := runTrust(t.Context(), s.app, trustOptions{}); err != nil {
			t.Fatal(err)
		}
		s.out.Reset()
		if err := runStatus(t.Context(), s.app, statusOptions{asJSON: true}); err != nil {
			t.Fatal(err)
		}
		s.has(s.out, `"standing": "`+c.standing+`"`)
	}
	if err := runUntrust(t.Context(), s.app, untrustOptions{all: true}); err != nil {
		t.Fatal(err)
	}
	s.out.Reset()
	if err := runStatus(t.Context(), s.app, statusOptions{asJSON: true}); err != nil {
		t.Fatal(err)
	}
	s.has(s.out, `"standing": "new"`)
}

// An interrupt ends the question, and approves nothing.
func TestTrustIsInterrupted(t *testing.T) {
	s := newStage(t)
	s.guard()
	in, w := io.Pipe()
	defer w.Close()
	s.asks, s.in = true, in
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("the person has enough")
	go func() {
		_, _ = w.Write([]byte("y")) // no line yet: it was asked
		cancel(stop)
	}()
	if err := runTrust(ctx, s.app, trustOptions{}); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
	if err := runStatus(t.Context(), s.app, statusOptions{asJSON: true}); err != nil {
		t.Fatal(err)
	}
	s.has(s.out, `"standing": "new"`)
}

func TestTrustRefusesWhatIsNoDigest(t *testing.T) {
	s := newStage(t)
	s.guard()
	for _, digest := range []string{"", "sha256:4f", strings.Repeat("0", 64)} {
		if code, _ := exitCode(runTrust(t.Context(), s.app, trustOptions{digests: []string{digest}})); code != exitUsage {
			t.Errorf("%q ends with %d", digest, code)
		}
	}
	other := "sha256:" + strings.Repeat("0", 64)
	if err := runTrust(t.Context(), s.app, trustOptions{digests: []string{other}}); err == nil {
		t.Error("other content was approved")
	}
}

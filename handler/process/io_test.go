package process_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hookline-dev/hookline/handler/process"
)

func TestPayloadArrivesWholeThenEOF(t *testing.T) {
	for _, size := range []int{0, 1, 4096, 65536, 65537, 3 << 20} {
		spec, _ := child(t, "echo")
		spec.Stdin = bytes.Repeat([]byte("0123456789abcde\n"), size/16+1)[:size]
		spec.StdoutLimit = 4 << 20
		e := mustRun(t, spec)
		if !bytes.Equal(e.Stdout, spec.Stdin) || !e.Success() {
			t.Errorf("%d bytes: got %d, %v", size, len(e.Stdout), e)
		}
		if e.StdinBytes != int64(size) {
			t.Errorf("%d bytes: counted %d", size, e.StdinBytes)
		}
	}
}

func TestParallelRunsEachGetTheirOwnCopy(t *testing.T) {
	spec, _ := child(t, "echo")
	spec.Stdin = bytes.Repeat([]byte("payload\n"), 20000)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			e, err := process.Run(t.Context(), spec)
			if err != nil || !bytes.Equal(e.Stdout, spec.Stdin) {
				t.Errorf("%v, %v", e, err)
			}
		})
	}
	wg.Wait()
}

func TestPayloadNeverReadIsNoError(t *testing.T) {
	spec, _ := child(t, "no-read-exit")
	spec.Stdin = make([]byte, 10<<20)
	e := mustRun(t, spec)
	if !e.Success() || string(e.Stdout) != "done without reading\n" {
		t.Errorf("%v, stdout %q", e, e.Stdout)
	}
	if e.StdinBytes >= 10<<20 {
		t.Errorf("counted %d bytes as taken", e.StdinBytes)
	}
}

func TestChildThatClosesStdinAndGoesOn(t *testing.T) {
	spec, _ := child(t, "close-stdin")
	spec.Stdin = make([]byte, 10<<20)
	if e := mustRun(t, spec); !e.Success() || string(e.Stdout) != "went on\n" {
		t.Errorf("%v, stdout %q", e, e.Stdout)
	}
}

func TestTimeoutCoversWritingThePayload(t *testing.T) {
	spec, _ := child(t, "sleep=1m")
	spec.Stdin = make([]byte, 10<<20)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	e, err := process.Run(ctx, spec)
	if err != nil || !e.TimedOut {
		t.Errorf("%v, %v", e, err)
	}
}

func TestOutputBeyondTheLimitIsDrainedAndCounted(t *testing.T) {
	size := 1 << 30
	if testing.Short() || raceEnabled {
		size = 256 << 20
	}
	spec, _ := child(t, "spew="+strconv.Itoa(size))
	spec.StdoutLimit = 1 << 20
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	e := mustRun(t, spec)
	runtime.ReadMemStats(&after)
	if !e.Success() || e.StdoutBytes != int64(size) || !e.StdoutTruncated || len(e.Stdout) != 1<<20 {
		t.Errorf("%v: %d bytes, kept %d, truncated %v", e, e.StdoutBytes, len(e.Stdout), e.StdoutTruncated)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("allocated %d bytes for it", used)
	}
}

func TestStderrKeepsItsTail(t *testing.T) {
	spec, _ := child(t, "spew-stderr=5000000")
	spec.StderrLimit = 1000
	e := mustRun(t, spec)
	if len(e.Stderr) != 1000 || !bytes.HasSuffix(e.Stderr, []byte("yyythe last line")) || !e.StderrTruncated {
		t.Errorf("kept %d bytes, ending %q", len(e.Stderr), e.Stderr[max(0, len(e.Stderr)-20):])
	}
	if e.StderrBytes != 5000000+int64(len("the last line")) {
		t.Errorf("counted %d", e.StderrBytes)
	}
}

func TestNegativeLimitKeepsNothingAndCounts(t *testing.T) {
	spec, _ := child(t, "spew=100000")
	spec.StdoutLimit = -1
	e := mustRun(t, spec)
	if len(e.Stdout) != 0 || e.StdoutBytes != 100000 || !e.StdoutTruncated || !e.Success() {
		t.Errorf("%v: kept %d of %d", e, len(e.Stdout), e.StdoutBytes)
	}
}

func TestOutputIsRawBytes(t *testing.T) {
	spec, _ := child(t, "bom")
	if e := mustRun(t, spec); string(e.Stdout) != "\uFEFF{}\r\n" {
		t.Errorf("got %q", e.Stdout)
	}
	spec, _ = child(t, "echo")
	spec.Stdin = []byte("a\x00b\xff\xfe")
	if e := mustRun(t, spec); !bytes.Equal(e.Stdout, spec.Stdin) {
		t.Errorf("got %q", e.Stdout)
	}
}

func TestExitCodes(t *testing.T) {
	for _, code := range []string{"0", "1", "2", "127", "255"} {
		spec, _ := child(t, "exit="+code)
		e := mustRun(t, spec)
		if strconv.Itoa(e.Code) != code || e.Success() != (code == "0") || !strings.HasSuffix(e.String(), code) {
			t.Errorf("exit %s: %d %v %q", code, e.Code, e.Success(), e)
		}
		if string(e.Stderr) != "exiting with "+code+"\n" || e.Ended() {
			t.Errorf("exit %s: stderr %q", code, e.Stderr)
		}
	}
}

func TestProgressChunksNeverSplitARune(t *testing.T) {
	spec, _ := child(t, "split-runes")
	var chunks [][]byte
	spec.OnOutput = func(s process.Stream, b []byte) {
		if s != process.Stdout {
			t.Errorf("chunk of %s", s)
		}
		chunks = append(chunks, bytes.Clone(b))
	}
	e := mustRun(t, spec)
	if got := bytes.Join(chunks, nil); !bytes.Equal(got, e.Stdout) {
		t.Errorf("chunks %q, stdout %q", got, e.Stdout)
	}
	// The last two bytes never become a rune and come at the end, alone.
	for _, c := range chunks[:len(chunks)-1] {
		if !utf8.Valid(c) {
			t.Errorf("chunk %q splits a rune", c)
		}
	}
}

func TestProgressStopsAtTheLimit(t *testing.T) {
	spec, _ := child(t, "spew=1000000")
	spec.StdoutLimit = 5000
	seen := 0
	spec.OnOutput = func(_ process.Stream, b []byte) { seen += len(b) }
	if e := mustRun(t, spec); seen != 5000 || e.StdoutBytes != 1000000 {
		t.Errorf("progress of %d bytes, %d read", seen, e.StdoutBytes)
	}
}

func TestDribbleIsBoundedByTime(t *testing.T) {
	spec, _ := child(t, "slow-byte")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	e, err := process.Run(ctx, spec)
	if err != nil || !e.TimedOut || len(e.Stdout) == 0 {
		t.Errorf("%v, %v", e, err)
	}
}

func TestFirstLineIsSeenWhileTheProcessRuns(t *testing.T) {
	spec, _ := child(t, "async-then=300ms")
	ctx, cancel := context.WithCancel(t.Context())
	p, err := process.Start(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	line, err := p.FirstLine(ctx)
	if err != nil || string(line) != `{"async":true}` {
		t.Fatalf("%q, %v", line, err)
	}
	select {
	case <-p.Done():
		t.Fatal("it has ended already")
	default:
	}
	later, cancelLater := context.WithTimeout(t.Context(), time.Minute)
	defer cancelLater()
	if !p.Govern(later) {
		t.Fatal("could not be taken over")
	}
	cancel() // no longer its context
	e := p.Wait()
	if !e.Success() || string(e.Stdout) != "{\"async\":true}\n{\"systemMessage\":\"later\"}\n" {
		t.Errorf("%v, stdout %q", e, e.Stdout)
	}
	if p.Govern(t.Context()) {
		t.Error("taken over after its end")
	}
}

func TestNewContextEndsADetachedProcess(t *testing.T) {
	spec, _ := child(t, "async-then=1m")
	p, err := process.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.FirstLine(t.Context()); err != nil {
		t.Fatal(err)
	}
	later, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	p.Govern(later)
	if e := p.Wait(); !e.TimedOut {
		t.Errorf("%v", e)
	}
}

func TestFirstLineEndsWithItsContextOrTheOutput(t *testing.T) {
	spec, _ := child(t, "sleep=1m")
	p, err := process.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.FirstLine(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	p.Kill(nil)
	if line, err := p.FirstLine(t.Context()); err != nil || len(line) != 0 {
		t.Errorf("%q, %v", line, err)
	}
	p.Wait()
}

func TestProcessStartedAheadIsFedOnce(t *testing.T) {
	spec, _ := child(t, "echo")
	spec.StdinLater = true
	p, err := process.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	payload := bytes.Repeat([]byte("x"), 300000)
	if err := p.Feed(payload); err != nil {
		t.Fatal(err)
	}
	if err := p.Feed(payload); !errors.Is(err, process.ErrFed) {
		t.Errorf("second payload: %v", err)
	}
	if e := p.Wait(); !e.Success() || !bytes.Equal(e.Stdout, payload) || e.StdinBytes != 300000 {
		t.Errorf("%v: %d bytes came back, %d counted", e, len(e.Stdout), e.StdinBytes)
	}
}

func TestWorkerAnswersLineByLine(t *testing.T) {
	spec, _ := child(t, "worker")
	spec.StdinLater, spec.StdoutPipe = true, true
	p, err := process.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	in, out := p.Stdin(), p.Stdout()
	defer out.Close()
	buf := make([]byte, 4096)
	for _, word := range []string{"one", "two", "three"} {
		if _, err := io.WriteString(in, word+"\n"); err != nil {
			t.Fatal(err)
		}
		n, err := out.Read(buf)
		want := `"echo":"` + word + `"`
		if err != nil || !strings.Contains(string(buf[:n]), want) {
			t.Fatalf("%q, %v", buf[:n], err)
		}
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := in.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	if e := p.Wait(); !e.Success() || e.StdinBytes != int64(len("one\ntwo\nthree\n")) {
		t.Errorf("%v, %d bytes", e, e.StdinBytes)
	}
}

func TestLastWordsOfAWorkerCanBeReadLate(t *testing.T) {
	spec, _ := child(t, "no-read-exit")
	spec.StdoutPipe = true
	spec.Drain = 10 * time.Millisecond
	p, err := process.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	out := p.Stdout()
	defer out.Close()
	p.Wait()
	time.Sleep(50 * time.Millisecond)
	if b, err := io.ReadAll(out); err != nil || string(b) != "done without reading\n" {
		t.Errorf("%q, %v", b, err)
	}
}

func TestWorkerThatDiesEndsReadsAndWrites(t *testing.T) {
	spec, _ := child(t, "worker")
	spec.StdinLater, spec.StdoutPipe = true, true
	p, err := process.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	out := p.Stdout()
	defer out.Close()
	time.AfterFunc(50*time.Millisecond, func() { p.Kill(nil) })
	if _, err := out.Read(make([]byte, 1)); err == nil {
		t.Error("read something from a killed worker")
	}
	p.Wait()
	if _, err := io.WriteString(p.Stdin(), "x\n"); err == nil {
		t.Error("wrote to a killed worker")
	}
}

func TestHandlesThatWereNotAskedForAreRefused(t *testing.T) {
	spec, _ := child(t, "echo")
	spec.Stdin = []byte("x")
	p, err := process.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if p.Stdin() != nil || p.Stdout() != nil || !errors.Is(p.Feed([]byte("y")), process.ErrFed) {
		t.Error("a closed stream was handed out")
	}
	if e := p.Wait(); string(e.Stdout) != "x" || e.Pid != p.Pid() {
		t.Errorf("%v, stdout %q", e, e.Stdout)
	}
	p.Kill(nil) // after the end: changes nothing
	if e := p.Wait(); !e.Success() {
		t.Errorf("%v", e)
	}

	spec, _ = child(t, "echo")
	spec.StdoutPipe = true
	p, err = process.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stdout().Close()
	if _, err := p.FirstLine(t.Context()); err == nil {
		t.Error("the head of a stream that belongs to the caller")
	}
	p.Wait()
}

func TestWorkerReadAndWriteTakeDeadlines(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("pipes have no deadlines there")
	}
	spec, _ := child(t, "sleep=1m")
	spec.StdinLater, spec.StdoutPipe = true, true
	p, err := process.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	in, out := p.Stdin(), p.Stdout()
	defer out.Close()
	soon := time.Now().Add(20 * time.Millisecond)
	in.SetWriteDeadline(soon)
	out.SetReadDeadline(soon)
	if _, err := in.Write(make([]byte, 1<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("write: %v", err)
	}
	if _, err := out.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read: %v", err)
	}
	p.Kill(nil)
	p.Wait()
}

func TestPhasesAddUp(t *testing.T) {
	spec, _ := child(t, "sleep=50ms")
	e := mustRun(t, spec)
	if e.Phases.Start <= 0 || e.Phases.Start+e.Phases.Run < 50*time.Millisecond || e.Phases.Drain < 0 {
		t.Errorf("%+v", e.Phases)
	}
	if sum := e.Phases.Start + e.Phases.Run + e.Phases.Drain; sum != e.Duration {
		t.Errorf("%v together, %v in all", sum, e.Duration)
	}
}

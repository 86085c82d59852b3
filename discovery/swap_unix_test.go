//go:build unix

package discovery_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/kodelet"
	"github.com/hookline-dev/hookline/dialect/worker"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/trust"
)

// swapper is the gate of a session that calls swap around each of its answers: in the
// moments between looking at a file and starting it.
type swapper struct {
	*trust.SessionGate
	swap func()
}

func (s *swapper) Check(a trust.Artifact) trust.Verdict {
	defer s.swap()
	return s.SessionGate.Check(a)
}

func (s *swapper) CheckFile(path, digest string) bool {
	defer s.swap()
	return s.SessionGate.CheckFile(path, digest)
}

func (s *swapper) Mirror(a trust.Artifact) (string, error) {
	s.swap()
	defer s.swap()
	return s.SessionGate.Mirror(a)
}

// TestSwapAndStart asks an approved executable for its type, and starts an approved worker,
// a thousand times while other content is renamed over it and back at any moment: that never
// runs.
func TestSwapAndStart(t *testing.T) {
	for kind, good := range map[string]string{"hooks": twoVerbs("before_tool_call", ""), "workers": "#!/bin/sh\n" + denyWorker("no")} {
		t.Run(kind, func(t *testing.T) { swapAndStart(t, kind, good) })
	}
}

func swapAndStart(t *testing.T, kind, good string) {
	p := newPlace(t)
	mark := filepath.Join(t.TempDir(), "evil")
	bad := strings.Replace(good, "\n", "\n: > '"+mark+"'\n", 1)
	path := p.write(p.dirs.Project, ".hookline/"+kind+"/guard", good)
	l := p.loader(func(o *discovery.Options) { o.Gate = nil })
	set, err := l.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	store := trust.NewStore(discovery.TrustDir(p.dirs))
	if _, err := store.Approve(t.Context(), trust.ApproveOptions{How: trust.HowCommand}, set.Hooks[0].Artifact); err != nil {
		t.Fatal(err)
	}
	rounds := 100
	if os.Getenv("HOOKLINE_SOAK") != "" {
		rounds = 1000
	}
	asked := 0
	random := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		put := func(text string) {
			next := p.write(p.dirs.Project, "next", text)
			if err := os.Rename(next, path); err != nil {
				t.Fatal(err)
			}
		}
		put(good)
		g := &swapper{trust.NewGate(trust.GateOptions{Store: store, Copies: trust.Copies{Dir: discovery.CopiesDir(p.dirs)}}), func() {
			put([]string{good, bad}[random.IntN(2)])
		}}
		dirs := p.dirs
		dirs.Cache = filepath.Join(p.dirs.Cache, "types") // no answer is remembered
		if err := os.RemoveAll(dirs.Cache); err != nil {
			t.Fatal(err)
		}
		l := discovery.New(discovery.Options{Dirs: dirs, Gate: g, Dialects: []dialect.Dialect{kodelet.Dialect{}, worker.Dialect{}}})
		set, err := l.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if set.Hooks[0].Status == discovery.Active {
			asked++
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Fatal("what nobody approved ran")
		}
	}
	if asked == 0 {
		t.Error("the executable was never asked")
	}
}

// TestPathIsFollowedOnce leads a directory of PATH into the project between two hooks of one
// load: it is followed for the first hook, and for all of them again at the next load.
func TestPathIsFollowedOnce(t *testing.T) {
	p := newPlace(t)
	link := filepath.Join(p.dirs.Home, "bin")
	path := "PATH=" + link + ":/usr/bin:/bin"
	lead := func(to string) {
		_ = os.Remove(link)
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	lead(p.dirs.Home)
	p.write(p.dirs.Home, ".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo \"1 $PATH\" >>~/paths"},{"type":"command","command":"echo \"2 $PATH\" >>~/paths"}]}]}}`)
	checks := 0
	l := p.loader(func(o *discovery.Options) {
		o.Environ = []string{"HOME=" + p.dirs.Home, path}
		o.Gate = &swapper{trust.NewGate(trust.GateOptions{}), func() {
			if checks++; checks == 2 {
				lead(p.dirs.Project)
			}
		}}
	})
	for _, want := range []int{2, 0} {
		_ = os.Remove(filepath.Join(p.dirs.Home, "paths"))
		e, _ := p.register(l)
		p.call(e)
		data, err := os.ReadFile(filepath.Join(p.dirs.Home, "paths"))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(data), link); got != want || checks < 2 {
			t.Errorf("%d of 2 hooks have the directory, not %d: %s", got, want, data)
		}
		if env := l.Kit().OwnCodeEnv(&dialect.Found{}, []string{path}, nil); slices.Contains(env, path) {
			t.Error("what was seen while hooks were found counts after it")
		}
	}
}

package jslib_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/handler/script/internal/node"
)

var update = flag.Bool("update", false, "write the golden files from what Node prints")

// Each module under testdata prints what it finds. Its golden file is what
// Node prints; our built-ins must print the same, line by line.
func TestBuiltinsAnswerAsNodeDoes(t *testing.T) {
	server := httptest.NewServer(testHandler())
	t.Cleanup(server.Close)
	files, err := filepath.Glob("testdata/*.mjs")
	if err != nil || len(files) == 0 {
		t.Fatal("no test modules:", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".mjs")
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && (name == "child" || name == "fs" || name == "path" || name == "url") {
				t.Skip("the module expects a Unix system")
			}
			if raceEnabled && !slices.Contains([]string{"child", "fetch", "fs", "events"}, name) {
				t.Skip("one goroutine and much script, which the race detector slows down")
			}
			golden := strings.TrimSuffix(file, ".mjs") + ".golden"
			env := append(os.Environ(), "TEST_SERVER="+server.URL, "TZ=UTC", "NO_COLOR=1", "NODE_NO_WARNINGS=1")
			if *update {
				out := runNode(t, file, env)
				if err := os.WriteFile(golden, []byte(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want := readFile(t, golden)
			got := runFile(t, file, node.Options{Grants: node.All(), Cwd: t.TempDir(), Env: env})
			compareLines(t, want, got)
		})
	}
}

// The golden files are still what Node says, where there is a Node 20.
func TestGoldenFilesComeFromNode(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("Node is asked in the full run without the race detector")
	}
	server := httptest.NewServer(testHandler())
	t.Cleanup(server.Close)
	version, err := exec.Command("node", "--version").Output()
	if err != nil {
		t.Skip("no node on this machine")
	}
	if !strings.HasPrefix(string(version), "v20.") {
		t.Skipf("the golden files are of Node 20, this is %s", version)
	}
	files, _ := filepath.Glob("testdata/*.mjs")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			env := append(os.Environ(), "TEST_SERVER="+server.URL, "TZ=UTC", "NO_COLOR=1", "NODE_NO_WARNINGS=1")
			compareLines(t, readFile(t, strings.TrimSuffix(file, ".mjs")+".golden"), runNode(t, file, env))
		})
	}
}

func runNode(t *testing.T, file string, env []string) string {
	t.Helper()
	abs, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", abs)
	cmd.Dir, cmd.Env = t.TempDir(), env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node %s: %v\n%s", file, err, stderr.String())
	}
	return string(out)
}

func compareLines(t *testing.T, want, got string) {
	t.Helper()
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	bad := 0
	for i := range max(len(w), len(g)) {
		var a, b string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a == b {
			continue
		}
		t.Errorf("line %d:\n node %s\n ours %s", i+1, a, b)
		if bad++; bad == 12 {
			t.Fatal("more differences follow")
		}
	}
}

// testHandler is the server that fetch.mjs talks to.
func testHandler() http.Handler {
	mux := http.NewServeMux()
	text := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Test", "yes")
			fmt.Fprint(w, body)
		})
	}
	text("/hello", "hello wörld")
	text("/json", `{"a":[1,2]}`)
	text("/bytes", "\x00\xff\x80a")
	mux.HandleFunc("/empty", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/echo", echo)
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/hello", http.StatusFound) })
	mux.HandleFunc("/seeother", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/echo", http.StatusSeeOther) })
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/gzip", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, err := z.Write([]byte("zipped"))
		if err := errors.Join(err, z.Close()); err != nil {
			panic(err)
		}
	})
	mux.HandleFunc("/cookies", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Add("Set-Cookie", "a=1; Path=/")
		w.Header().Add("Set-Cookie", "b=2")
	})
	mux.HandleFunc("/stream", func(w http.ResponseWriter, _ *http.Request) {
		for i := range 3 {
			fmt.Fprintf(w, "part%d é;", i)
			w.(http.Flusher).Flush()
		}
	})
	wait := func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(10 * time.Second):
		}
	}
	mux.HandleFunc("/slow", wait)
	mux.HandleFunc("/slowbody", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "start")
		w.(http.Flusher).Flush()
		wait(w, r)
	})
	return mux
}

func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	text := make([]rune, len(body))
	for i, b := range body {
		text[i] = rune(b)
	}
	data, err := json.Marshal(struct {
		Method string `json:"method"`
		Type   string `json:"type"`
		Custom string `json:"custom"`
		Body   string `json:"body"`
	}{r.Method, r.Header.Get("Content-Type"), r.Header.Get("X-Custom"), string(text)})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data)
}

package node_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/handler/script/internal/node"
)

func newPrimitives(t testing.TB, opts node.Options) *node.Primitives {
	t.Helper()
	p, err := node.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func args(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// try runs an operation and returns its result and the error's code.
func try(t testing.TB, p *node.Primitives, op string, a map[string]any) (string, string) {
	t.Helper()
	out, err := p.Sync(op, args(t, a))
	if err == nil {
		return string(out), ""
	}
	e, ok := errors.AsType[*node.Error](err)
	if !ok {
		t.Fatalf("%s: %T is not a *node.Error", op, err)
	}
	return "", e.Code
}

type tree struct{ base, in, out string }

// newTree makes two neighbouring folders, of which only the first is granted,
// and links that lead from one to the other.
func newTree(t *testing.T) tree {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tr := tree{base: base, in: filepath.Join(base, "in"), out: filepath.Join(base, "out")}
	for _, dir := range []string{tr.in, tr.out, filepath.Join(tr.in, "sub"), tr.in + "side"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(tr.in, "ok"), filepath.Join(tr.out, "secret"), filepath.Join(tr.in+"side", "secret")} {
		if err := os.WriteFile(file, []byte("content"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"abs": filepath.Join(tr.out, "secret"), "rel": "../out/secret", "dirlink": tr.out, "reldir": "../out",
		"inner": "ok", "innerabs": filepath.Join(tr.in, "ok"), "dangling": filepath.Join(tr.out, "new"), "chain": "reldir",
	} {
		if err := os.Symlink(target, filepath.Join(tr.in, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	return tr
}

func TestReadingStaysInGrantedFolders(t *testing.T) {
	tr := newTree(t)
	p := newPrimitives(t, node.Options{Cwd: tr.in, Grants: node.Grants{Read: []string{tr.in}}})
	for _, path := range []string{"ok", "inner", "innerabs", "./sub/../ok", filepath.Join(tr.in, "ok"), tr.in + "/sub/../../in/ok"} {
		if _, code := try(t, p, "node.fs.readFile", map[string]any{"path": path}); code != "" {
			t.Errorf("reading %s: %s", path, code)
		}
	}
	refused := []string{
		"../out/secret", filepath.Join(tr.out, "secret"), tr.in + "side/secret", "abs", "rel", "dirlink/secret", "reldir/secret",
		"chain/secret", "sub/../../out/secret", "/etc/passwd", "..", "../../../../../../etc/passwd", "dangling",
	}
	if runtime.GOOS == "linux" {
		refused = append(refused, strings.ToUpper(tr.in)+"/ok") // another folder where case matters
	}
	for _, path := range refused {
		for _, op := range []string{"readFile", "stat", "readdir", "exists", "open", "access", "realpath", "watchOpen"} {
			if out, code := try(t, p, "node.fs."+op, map[string]any{"path": path, "flag": "r"}); code != "ERR_ACCESS_DENIED" {
				t.Errorf("%s of %s: %q, code %q", op, path, out, code)
			}
		}
	}
	// The link itself may be looked at, its target may not.
	if _, code := try(t, p, "node.fs.lstat", map[string]any{"path": "abs"}); code != "" {
		t.Error("lstat of a link inside:", code)
	}
	_, err := p.Sync("node.fs.readFile", args(t, map[string]any{"path": "../out/secret"}))
	if e, _ := errors.AsType[*node.Error](err); e == nil || e.Permission != "read:"+filepath.Join(tr.out, "secret") || !strings.Contains(e.Message, e.Permission) {
		t.Errorf("the refusal does not name the grant: %v", err)
	}
}

func TestWritingStaysInGrantedFolders(t *testing.T) {
	tr := newTree(t)
	p := newPrimitives(t, node.Options{Cwd: tr.in, Grants: node.Grants{Read: []string{tr.base}, Write: []string{tr.in}}})
	for _, path := range []string{"../out/x", "abs", "rel", "dirlink/x", "reldir/x", "chain/x", "dangling", filepath.Join(tr.out, "secret"), tr.in + "side/x"} {
		for op, extra := range map[string]map[string]any{
			"writeFile": {"text": "evil", "flag": "w"}, "mkdir": {"recursive": true}, "open": {"flag": "a"}, "truncate": {}, "chmod": {"mode": 511},
			"utimes": {"atime": 1, "mtime": 1},
		} {
			a := map[string]any{"path": path}
			for k, v := range extra {
				a[k] = v
			}
			if out, code := try(t, p, "node.fs."+op, a); code == "" {
				t.Errorf("%s of %s: %q, code %q", op, path, out, code)
			}
		}
	}
	for _, a := range []map[string]any{
		{"path": "ok", "dest": "../out/moved"}, {"path": "../out/secret", "dest": "stolen"}, {"path": "ok", "dest": "dirlink/x"},
	} {
		for _, op := range []string{"rename", "link"} {
			if _, code := try(t, p, "node.fs."+op, a); code != "ERR_ACCESS_DENIED" {
				t.Errorf("%s %v: %q", op, a, code)
			}
		}
	}
	for _, op := range []string{"rm", "unlink", "rmdir"} {
		for _, path := range []string{"../out/secret", "dirlink/secret", "../out", "reldir/secret"} {
			if _, code := try(t, p, "node.fs."+op, map[string]any{"path": path, "recursive": true}); code != "ERR_ACCESS_DENIED" {
				t.Errorf("%s of %s: %q", op, path, code)
			}
		}
	}
	for _, target := range []string{"/etc/passwd", "../out/secret", tr.out, "reldir/secret"} {
		if _, code := try(t, p, "node.fs.symlink", map[string]any{"path": "newlink", "target": target}); code != "ERR_ACCESS_DENIED" {
			t.Errorf("a link to %s: %q", target, code)
		}
	}
	data, err := os.ReadFile(filepath.Join(tr.out, "secret"))
	if err != nil || string(data) != "content" {
		t.Errorf("the file outside has changed: %q, %v", data, err)
	}
	if entries, _ := os.ReadDir(tr.out); len(entries) != 1 {
		t.Errorf("something was made outside: %v", entries)
	}
	// Removing a link removes the link.
	if _, code := try(t, p, "node.fs.rm", map[string]any{"path": "dirlink", "recursive": true}); code != "" {
		t.Error("removing a link:", code)
	}
	if _, err := os.Stat(filepath.Join(tr.out, "secret")); err != nil {
		t.Error("removing a link removed its target:", err)
	}
}

func TestReadAndWriteAreGrantedApart(t *testing.T) {
	tr := newTree(t)
	ro := newPrimitives(t, node.Options{Cwd: tr.in, Grants: node.Grants{Read: []string{"."}}})
	wo := newPrimitives(t, node.Options{Cwd: tr.in, Grants: node.Grants{Write: []string{"."}}})
	for _, flag := range []string{"w", "a", "r+", "w+", "wx"} {
		if _, code := try(t, ro, "node.fs.open", map[string]any{"path": "ok", "flag": flag}); code != "ERR_ACCESS_DENIED" {
			t.Errorf("flag %s without write: %q", flag, code)
		}
	}
	for _, flag := range []string{"r", "r+", "a+"} {
		if _, code := try(t, wo, "node.fs.open", map[string]any{"path": "ok", "flag": flag}); code != "ERR_ACCESS_DENIED" {
			t.Errorf("flag %s without read: %q", flag, code)
		}
	}
	if _, code := try(t, wo, "node.fs.writeFile", map[string]any{"path": "new", "flag": "w", "text": "x", "mode": 420}); code != "" {
		t.Error("writing with write:", code)
	}
	if _, code := try(t, ro, "node.fs.copyFile", map[string]any{"path": "ok", "dest": "copy"}); code != "ERR_ACCESS_DENIED" {
		t.Error("copying without write:", code)
	}
}

func TestGrantOfOneFileAndOfWhatIsNotThereYet(t *testing.T) {
	tr := newTree(t)
	later := filepath.Join(tr.base, "later")
	p := newPrimitives(t, node.Options{Cwd: tr.in, Grants: node.Grants{Read: []string{filepath.Join(tr.in, "ok"), later}, Write: []string{later}}})
	if _, code := try(t, p, "node.fs.readFile", map[string]any{"path": "ok"}); code != "" {
		t.Error("the granted file:", code)
	}
	if _, code := try(t, p, "node.fs.stat", map[string]any{"path": "sub"}); code != "ERR_ACCESS_DENIED" {
		t.Error("its neighbour:", code)
	}
	if _, code := try(t, p, "node.fs.stat", map[string]any{"path": filepath.Join(later, "x")}); code != "ENOENT" {
		t.Error("in a folder that is not there:", code)
	}
	if _, code := try(t, p, "node.fs.mkdir", map[string]any{"path": later, "mode": 493}); code != "" {
		t.Error("making it:", code)
	}
	if _, code := try(t, p, "node.fs.writeFile", map[string]any{"path": filepath.Join(later, "x"), "flag": "w", "text": "x", "mode": 420}); code != "" {
		t.Error("writing into it:", code)
	}
	// A granted file that turns into a link to its neighbour is refused.
	if err := errors.Join(os.WriteFile(filepath.Join(tr.in, "private"), nil, 0o600), os.Remove(filepath.Join(tr.in, "ok")), os.Symlink("private", filepath.Join(tr.in, "ok"))); err != nil {
		t.Fatal(err)
	}
	if _, code := try(t, p, "node.fs.readFile", map[string]any{"path": "ok"}); code != "ERR_ACCESS_DENIED" {
		t.Error("a file swapped for a link:", code)
	}
}

func TestNothingGrantedMeansNothingAllowed(t *testing.T) {
	p := newPrimitives(t, node.Options{Cwd: t.TempDir(), Env: []string{"SECRET_TOKEN=canary", "PATH=/bin", "MINE=1"}})
	for op, a := range map[string]map[string]any{
		"node.fs.readFile": {"path": "/etc/passwd"}, "node.fs.mkdtemp": {"path": "x"}, "node.child.start": {"file": "true"},
		"node.child.spawnSync": {"file": "true"}, "node.child.killPid": {"pid": 1, "signal": "SIGKILL"}, "node.process.chdir": {"path": "/"},
	} {
		if _, code := try(t, p, op, a); code != "ERR_ACCESS_DENIED" {
			t.Errorf("%s: %q", op, code)
		}
	}
	out, _ := try(t, p, "node.process.info", nil)
	if strings.Contains(out, "canary") || strings.Contains(out, "MINE") {
		t.Error("the environment leaks:", out)
	}
	mine := newPrimitives(t, node.Options{Cwd: t.TempDir(), Env: []string{"SECRET_TOKEN=canary", "MINE=1", "MINER=2"}, Grants: node.Grants{Env: []string{"MINE"}}})
	out, _ = try(t, mine, "node.process.info", nil)
	if !strings.Contains(out, `"MINE":"1"`) || strings.Contains(out, "canary") || strings.Contains(out, "MINER") {
		t.Error("the granted environment:", out)
	}
}

func TestFetchGoesToGrantedHostsOnly(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if target := r.URL.Query().Get("to"); target != "" {
			http.Redirect(w, r, target, http.StatusFound)
		}
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	p := newPrimitives(t, node.Options{Grants: node.Grants{Net: []string{host}}})
	fetch := func(url string) string {
		_, err := p.Async(t.Context(), "node.fetch.start", args(t, map[string]any{"url": url, "method": "GET", "redirect": "follow"}), nil)
		if err == nil {
			return ""
		}
		e, _ := errors.AsType[*node.Error](err)
		return e.Code + " " + e.Permission
	}
	if got := fetch(server.URL); got != "" {
		t.Error("the granted host:", got)
	}
	otherHost := strings.TrimPrefix(other.URL, "http://")
	for _, url := range []string{other.URL, server.URL + "/?to=" + other.URL, server.URL + "/?to=" + server.URL + "/%3Fto=" + other.URL} {
		if got := fetch(url); got != "ERR_ACCESS_DENIED net:"+otherHost {
			t.Errorf("%s: %q", url, got)
		}
	}
	if got := fetch(server.URL + "/?to=file:///etc/passwd"); !strings.HasPrefix(got, "ERR_INVALID_URL_SCHEME") {
		t.Error("a redirect to a file:", got)
	}
	if reached {
		t.Error("the host that is not granted was reached")
	}
}

func TestHostPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, url string
		want         bool
	}{
		{"*", "https://anything.example/", true},
		{"a.example", "https://a.example/", true},
		{"a.example", "https://A.Example./", true},
		{"a.example", "https://b.a.example/", false},
		{"a.example", "https://a.example.evil.test/", false},
		{"a.example", "https://xa.example/", false},
		{"*.example", "https://a.example/", true},
		{"*.example", "https://a.b.example/", true},
		{"*.example", "https://example/", false},
		{"a.example:8080", "http://a.example:8080/", true},
		{"a.example:8080", "http://a.example/", false},
		{"a.example:443", "https://a.example/", true},
		{"[::1]:80", "http://[::1]/", true},
		{"::1", "http://[::1]:9/", true},
		{"*.", "https://a/", false},
		{"", "https://a/", false},
		{"a.example", "https://a.example@evil.test/", false},
		{"a*.example", "https://ab.example/", false},
	} {
		p := newPrimitives(t, node.Options{
			Grants: node.Grants{Net: []string{c.pattern}},
			HTTPClient: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 204, Body: http.NoBody}, nil
			})},
		})
		_, err := p.Async(t.Context(), "node.fetch.start", args(t, map[string]any{"url": c.url, "method": "GET"}), nil)
		if (err == nil) != c.want {
			t.Errorf("%s with the grant %q: %v", c.url, c.pattern, err)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// No bytes that JavaScript may send make an operation panic or touch what is
// not granted.
func FuzzArguments(f *testing.F) {
	ops := []string{"node.fs.readFile", "node.fs.writeFile", "node.fs.open", "node.fs.rename", "node.fs.read", "node.child.start", "node.fetch.close", "node.crypto.hash", "node.crypto.scrypt", "node.time.zone", "node.log", "node.internal.source"}
	for i, seed := range []string{`{}`, `{"path":"../x"}`, `{"path":1}`, `[]`, `null`, `{"data":"/w==","text":null}`, `{"data":"%"}`, `{"path":"\ud800"}`, `{"fd":-1,"length":-5}`, "\xff", `{"zone":"../../etc/passwd"}`, `{"name":"internal:../../x"}`} {
		f.Add(i%len(ops), []byte(seed))
	}
	dir := f.TempDir()
	p := newPrimitives(f, node.Options{Cwd: dir, Grants: node.Grants{Read: []string{dir}}})
	f.Fuzz(func(t *testing.T, n int, data []byte) {
		op := ops[((n%len(ops))+len(ops))%len(ops)]
		out, err := p.Sync(op, data)
		if err != nil {
			e, ok := errors.AsType[*node.Error](err)
			if !ok || e.Code == "ERR_INTERNAL_ASSERTION" {
				t.Fatalf("%s %q: %v", op, data, err)
			}
			out = node.ErrorJSON(err)
		}
		var v any
		if err := json.Unmarshal(out, &v); err != nil {
			t.Fatalf("%s %q answered %q: %v", op, data, out, err)
		}
	})
}

// Bytes come back as they went.
func FuzzBytesRoundTrip(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 1, 127, 128, 255, '"', '\\'})
	dir := f.TempDir()
	p := newPrimitives(f, node.Options{Cwd: dir, Grants: node.Grants{Read: []string{dir}, Write: []string{dir}}})
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := p.Sync("node.fs.writeFile", args(t, map[string]any{"path": "f", "flag": "w", "mode": 420, "data": data})); err != nil {
			t.Fatal(err)
		}
		out, err := p.Sync("node.fs.readFile", []byte(`{"path":"f"}`))
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Data []byte `json:"data"`
		}
		if err := json.Unmarshal(out, &got); err != nil || !bytes.Equal(got.Data, data) {
			t.Fatalf("%q came back as %s, %v", data, out, err)
		}
	})
}

package httpcall_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/handler/httpcall"
	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/hook/hooktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server that is closed with the test.
func serve(t testing.TB, f http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func toolUse() *hook.PreToolUse {
	return &hook.PreToolUse{
		Common:   hook.Common{SessionID: "s1"},
		ToolName: "Bash", ToolInput: hook.MustJSON(map[string]string{"command": "ls"}),
	}
}

func fire(t testing.TB, h *httpcall.Hook, timeout time.Duration) (hook.Outcome, hook.Run) {
	t.Helper()
	if h.Codec == nil {
		h.Codec = codectest.Plain{}
	}
	reg := hook.NewRegistry()
	if _, err := reg.Add(hook.Registration{Event: hook.EventPreToolUse, Handler: h, Name: "remote", Timeout: timeout}); err != nil {
		t.Fatal(err)
	}
	eng := hook.New(reg)
	defer eng.Close()
	out, err := eng.Fire(t.Context(), toolUse())
	if err != nil {
		t.Fatal(err)
	}
	return out, out.Runs[0]
}

func kindOf(err error) hook.FailureKind {
	if f, ok := errors.AsType[*hook.Failure](err); ok {
		return f.Kind
	}
	return ""
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name     string
		status   int
		body     string
		decision hook.Decision
		kind     hook.FailureKind
		want     string
	}{
		{"empty", 200, "", hook.DecisionNone, "", ""},
		{"no content", 204, "", hook.DecisionNone, "", ""},
		{"blanks", 202, " \r\n", hook.DecisionNone, "", ""},
		{"an object", 200, `{"decision":"deny","reason":"r"}`, hook.DecisionDeny, "", ""},
		{"a BOM", 200, "\uFEFF{\"decision\":\"deny\",\"reason\":\"r\"}\n", hook.DecisionDeny, "", ""},
		{"created", 201, `{"decision":"allow"}`, hook.DecisionAllow, "", ""},
		{"text", 200, "ok", hook.DecisionNone, hook.FailureAnswer, `not one JSON object: "ok"`},
		{"an array", 200, `[1]`, hook.DecisionNone, hook.FailureAnswer, "not one JSON object"},
		{"half an object", 200, `{"decision":"deny"`, hook.DecisionNone, hook.FailureAnswer, "not one JSON object"},
		{"two objects", 200, `{"decision":"deny"}{"decision":"allow"}`, hook.DecisionNone, hook.FailureAnswer, "not one JSON object"},
		{"duplicate keys", 200, `{"decision":"deny","decision":"allow"}`, hook.DecisionNone, hook.FailureAnswer, "duplicate"},
		{"forbidden", 403, `{"decision":"deny"}`, hook.DecisionNone, hook.FailureError, "HTTP 403 Forbidden"},
		{"an allow with an error", 500, `{"decision":"allow"}`, hook.DecisionNone, hook.FailureError, "HTTP 500"},
		{"not found", 404, "no such page\n", hook.DecisionNone, hook.FailureError, "no such page"},
		{"too large", 200, `{"decision":"allow","reason":"` + strings.Repeat("x", 1<<20) + `"}`, hook.DecisionNone, hook.FailureAnswer, "larger than"},
		{"deep", 200, `{"a":` + strings.Repeat("[", 100_000), hook.DecisionNone, hook.FailureAnswer, "not one JSON object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, run := fire(t, &httpcall.Hook{URL: serve(t, says(tt.status, tt.body))}, time.Minute)
			if out.Decision != tt.decision || kindOf(run.Err) != tt.kind {
				t.Fatalf("%v, %q %v; want %v, %q", out.Decision, kindOf(run.Err), run.Err, tt.decision, tt.kind)
			}
			if tt.kind != "" && !strings.Contains(run.Err.Error(), tt.want) {
				t.Errorf("error %q lacks %q", run.Err, tt.want)
			}
			if !slices.ContainsFunc(run.Notes, func(n string) bool { return strings.HasPrefix(n, fmt.Sprintf("HTTP %d", tt.status)) }) {
				t.Errorf("notes %q do not tell the status", run.Notes)
			}
		})
	}
}

func TestRequest(t *testing.T) {
	var got *http.Request
	var body []byte
	where := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	})
	env := map[string]string{"TOKEN": "planted-canary", "OTHER": "leak", "PATH": "/leak"}
	h := &httpcall.Hook{
		URL: strings.Replace(where, "http://", "http://me:planted-password@", 1) + "/hook?x=1#part",
		Headers: map[string]string{
			"Authorization-Extra": "Bearer ${TOKEN}", "X-Short": "$TOKEN.$OTHER.${PATH}$UNSET", "X-Plain": "cost: 5$ ${ $}", "Content-Length": "3",
		},
		EnvNames:  []string{"TOKEN", "UNSET"},
		LookupEnv: func(n string) (string, bool) { v, ok := env[n]; return v, ok },
	}
	_, run := fire(t, h, time.Minute)
	if run.Err != nil {
		t.Fatal(run.Err)
	}
	want, err := hook.MarshalInput(toolUse())
	if err != nil {
		t.Fatal(err)
	}
	user, password, _ := got.BasicAuth()
	if got.Method != "POST" || got.URL.String() != "/hook?x=1" || string(body) != string(want)+"\n" || user != "me" || password != "planted-password" {
		t.Errorf("%s %s %s:%s %q", got.Method, got.URL, user, password, body)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Authorization-Extra": "Bearer planted-canary", "X-Short": "planted-canary..", "X-Plain": "cost: 5$ ${ $}",
	} {
		if got.Header.Get(name) != value {
			t.Errorf("header %s = %q, want %q", name, got.Header.Get(name), value)
		}
	}
	notes := strings.Join(run.Notes, "\n")
	for _, want := range []string{"variable OTHER is not among the allowed", "variable PATH is not", "variable UNSET is not set", "Content-Length"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q lack %q", notes, want)
		}
	}
}

func TestSecretsAreNotRepeated(t *testing.T) {
	echo := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			user, password, _ := r.BasicAuth()
			fmt.Fprintf(w, "%s %s %s %s %s %s", r.URL, r.Header.Get("X-Key"), r.Header.Get("X-Literal"), r.Header.Get("Authorization"), user, password)
		}
	}
	closed := httptest.NewServer(nil)
	closed.Close()
	for name, base := range map[string]string{
		"error status": serve(t, echo(500)), "text": serve(t, echo(200)), "connection refused": closed.URL,
		"bad redirect": serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://%zz/"+r.Header.Get("X-Key"))
			w.WriteHeader(307)
		}),
		"not an allowed URL": "http://127.0.0.1:1",
		"unparsable":         "http://exa mple",
	} {
		h := &httpcall.Hook{
			URL:       strings.Replace(base, "://", "://canary-user:canary-pass@", 1) + "/services/canary-path-1234567?token=canary-query-1",
			Headers:   map[string]string{"X-Key": "Bearer $KEY", "X-Literal": "canary-literal"},
			EnvNames:  []string{"KEY"},
			LookupEnv: func(string) (string, bool) { return `canary-"env`, true },
		}
		if name == "not an allowed URL" {
			h.Allow = []string{}
		}
		_, run := fire(t, h, time.Minute)
		if run.Err == nil {
			t.Errorf("%s: no failure", name)
			continue
		}
		text := run.Err.Error() + fmt.Sprintf("%+v %q", run.Report, run.Notes)
		if strings.Contains(text, "canary") {
			t.Errorf("%s: a secret is repeated: %s", name, text)
		}
	}
}

func TestHeadersThatCannotBeSent(t *testing.T) {
	for name, value := range map[string]string{"X-A": "a\r\nX-B: b", "X A": "b", "": "x", "X-C": "a\x00"} {
		_, run := fire(t, &httpcall.Hook{URL: "http://127.0.0.1:1/", Headers: map[string]string{name: value}}, time.Minute)
		if kindOf(run.Err) != hook.FailureLaunch || !strings.Contains(run.Err.Error(), "header") {
			t.Errorf("%q: %v", name, run.Err)
		}
	}
}

func TestTargetsThatAreNone(t *testing.T) {
	for _, target := range []string{"", "ftp://x/", "file:///etc/passwd", "http://", "//x/y", "x", "http://[::1"} {
		_, run := fire(t, &httpcall.Hook{URL: target}, time.Minute)
		if kindOf(run.Err) != hook.FailureLaunch {
			t.Errorf("%q: %v", target, run.Err)
		}
	}
}

func TestRedirects(t *testing.T) {
	var mu sync.Mutex
	var reached []string
	note := func(r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		reached = append(reached, fmt.Sprintf("%s %s %d", r.Method, r.URL.Path, len(body)))
	}
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		note(r)
		_, _ = io.WriteString(w, `{"decision":"allow"}`)
	})
	home := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/end":
			note(r)
			_, _ = io.WriteString(w, `{"decision":"allow"}`)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusTemporaryRedirect)
		case "/away":
			http.Redirect(w, r, other+"/end", http.StatusTemporaryRedirect)
		case "/see":
			http.Redirect(w, r, "/end", http.StatusSeeOther)
		default:
			http.Redirect(w, r, "/end", http.StatusPermanentRedirect)
		}
	})
	for path, ok := range map[string]bool{"/same": true, "/away": false, "/see": false, "/loop": false} {
		reached = nil
		out, run := fire(t, &httpcall.Hook{URL: home + path}, time.Minute)
		if ok != (run.Err == nil) || ok != (out.Decision == hook.DecisionAllow) || ok != (len(reached) == 1) {
			t.Errorf("%s: %v %v, reached %q", path, out.Decision, run.Err, reached)
		}
		if ok && (len(reached) != 1 || !strings.HasPrefix(reached[0], "POST /end ") || strings.HasSuffix(reached[0], " 0")) {
			t.Errorf("reached %q", reached)
		}
	}
	_, run := fire(t, &httpcall.Hook{URL: home + "/same", Allow: []string{home + "/same"}}, time.Minute)
	if run.Err == nil {
		t.Error("a redirect led to a URL that is not allowed")
	}
	_, run = fire(t, &httpcall.Hook{URL: home + "/away"}, time.Minute)
	if run.Err == nil || !strings.Contains(run.Err.Error(), "redirects to "+other) {
		t.Errorf("%v", run.Err)
	}
}

func TestNoProxyFromTheEnvironment(t *testing.T) {
	proxied := 0
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { proxied++ })
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("http_proxy", proxy)
	// Loopback is never proxied by the environment, so the host has another name.
	_, run := fire(t, &httpcall.Hook{URL: "http://hooks.invalid/"}, time.Minute)
	if run.Err == nil || proxied != 0 {
		t.Errorf("%v, %d requests went to the proxy", run.Err, proxied)
	}
	u, err := url.Parse(proxy)
	if err != nil {
		t.Fatal(err)
	}
	client := &httpcall.Client{Proxy: u}
	defer client.Close()
	if _, run := fire(t, &httpcall.Hook{URL: "http://hooks.invalid/", Client: client}, time.Minute); run.Err != nil || proxied != 1 {
		t.Errorf("%v, %d requests went to the proxy", run.Err, proxied)
	}
}

func TestTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(says(200, `{"decision":"deny","reason":"r"}`))
	s.Config.ErrorLog = nil
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	_, run := fire(t, &httpcall.Hook{URL: s.URL}, time.Minute)
	if kindOf(run.Err) != hook.FailureLaunch || !strings.Contains(run.Err.Error(), "certificate") {
		t.Errorf("a certificate nobody knows: %v", run.Err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	client := &httpcall.Client{TLS: &tls.Config{RootCAs: roots}}
	defer client.Close()
	for range 2 {
		if out, run := fire(t, &httpcall.Hook{URL: s.URL, Client: client}, time.Minute); out.Decision != hook.DecisionDeny {
			t.Errorf("%v %v", out.Decision, run.Err)
		}
	}
}

func TestSlowAndEndlessServers(t *testing.T) {
	release := make(chan struct{})
	hang := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	dribble := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, " ")
			w.(http.Flusher).Flush()
			time.Sleep(10 * time.Millisecond)
		}
	})
	endless := serve(t, func(w http.ResponseWriter, r *http.Request) {
		chunk := []byte(strings.Repeat("x", 1<<16))
		for r.Context().Err() == nil {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	t.Cleanup(func() { close(release) })
	for name, target := range map[string]string{"hangs": hang, "dribbles": dribble} {
		_, run := fire(t, &httpcall.Hook{URL: target}, 300*time.Millisecond)
		if run.Status != hook.StatusTimedOut || kindOf(run.Err) != hook.FailureTimeout {
			t.Errorf("%s: %v %v", name, run.Status, run.Err)
		}
	}
	_, run := fire(t, &httpcall.Hook{URL: endless}, time.Minute)
	if kindOf(run.Err) != hook.FailureAnswer || !run.Report.Truncated {
		t.Errorf("endless: %v", run.Err)
	}
}

func TestConformance(t *testing.T) {
	hooktest.TestKind(t, hooktest.Kind{Make: func(t testing.TB, b hooktest.Behaviour) (hook.Handler, bool) {
		reply, ok := map[hooktest.Behaviour]http.HandlerFunc{
			hooktest.Silent:     says(200, ""),
			hooktest.Allow:      says(200, `{"decision":"allow"}`),
			hooktest.Deny:       says(200, `{"decision":"deny","reason":"`+hooktest.DenyReason+`"}`),
			hooktest.Ask:        says(200, `{"decision":"ask"}`),
			hooktest.Context:    says(200, `{"context":"`+hooktest.ContextText+`"}`),
			hooktest.Rewrite:    says(200, `{"updated_input":{"command":"`+hooktest.RewrittenCmd+`"}}`),
			hooktest.WrongField: says(200, `{"updated_output":{}}`),
			hooktest.Fail:       says(500, ""),
			hooktest.Garbage:    says(200, "{"),
			hooktest.Hang:       func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() },
		}[b]
		if !ok {
			return nil, false
		}
		return &httpcall.Hook{URL: serve(t, reply), Codec: codectest.Plain{}}, true
	}})
}

func TestCancelled(t *testing.T) {
	target := serve(t, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() })
	ctx, cancel := context.WithCancelCause(t.Context())
	giveUp := errors.New("the person pressed escape")
	time.AfterFunc(100*time.Millisecond, func() { cancel(giveUp) })
	h := &httpcall.Hook{URL: target, Codec: codectest.Plain{}}
	_, err := h.Handle(ctx, &hook.Call{Hook: &hook.Info{}, Input: toolUse()})
	if !errors.Is(err, giveUp) || kindOf(err) != "" {
		t.Errorf("%v", err)
	}
}

func TestIdentity(t *testing.T) {
	a := &httpcall.Hook{URL: "http://x/secret", Headers: map[string]string{"A": "1", "B": "2"}}
	b := &httpcall.Hook{URL: "http://x/secret", Headers: map[string]string{"B": "2", "A": "1"}}
	if a.Identity() != b.Identity() || strings.Contains(a.Identity(), "secret") {
		t.Error(a.Identity())
	}
	for _, other := range []*httpcall.Hook{{URL: "http://x/secret"}, {URL: a.URL, Headers: map[string]string{"A": "12", "B": ""}}, {URL: a.URL, Headers: a.Headers, Origin: "p"}} {
		if other.Identity() == a.Identity() {
			t.Errorf("%+v is the same", other)
		}
	}
}

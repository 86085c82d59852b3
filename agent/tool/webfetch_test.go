package tool_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/agent/tool"
)

const page = `<!doctype html><html><head><title>The  page</title><style>p{}</style><script>evil()</script></head>
<body><nav><a href="/home">Home</a></nav><h1>Head<em>ing</em></h1>
<p>Some   <b>bold</b> text,
with a <a href="sub/x?y=1#z">link</a>.</p><p>Next&nbsp;&amp; last</p>
<ul><li>one</li><li>two<ol><li>inner</li><li>second</li></ol></li></ul>
<pre>  keep
    this</pre><svg><text>no</text></svg><noscript>no</noscript>
<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>
<a href="#top">up</a><a href="javascript:x()">js</a><img src="x" alt="a cat"><br>end</body></html>`

func TestWebFetch(t *testing.T) {
	mux := http.NewServeMux()
	serve := func(path, contentType, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", contentType)
			io.WriteString(w, body)
		})
	}
	serve("/page", "text/html; charset=utf-8", page)
	serve("/json", "application/json", `{"a": 1}`)
	serve("/latin", "text/plain; charset=iso-8859-1", "caf\xe9")
	serve("/png", "image/png", "\x89PNG")
	serve("/huge", "text/plain", strings.Repeat("x", 6<<20))
	mux.HandleFunc("/missing", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "not here", http.StatusNotFound) })
	mux.HandleFunc("/local", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/json", http.StatusFound) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://elsewhere.example/x?secret", http.StatusFound)
	})
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	s, _ := newSet(t)

	wantPage := `The page

[Home](` + srv.URL + `/home)

# Heading

Some bold text, with a [link](` + srv.URL + `/sub/x?y=1#z).

Next & last

- one
- two
  1. inner
  2. second

` + "```" + `
  keep
    this
` + "```" + `

a | b
c | d

upjs [a cat]
end`
	tests := []struct{ path, text, fail string }{
		{"/page", wantPage, ""},
		{"/json", `{"a": 1}`, ""},
		{"/latin", "café", ""},
		{"/local", `{"a": 1}`, ""},
		{"/away", srv.URL + "/away redirects to another host: http://elsewhere.example/x?secret\nFetch that address if it is the right one.", ""},
		{"/png", "", "image/png, which has no text"},
		{"/missing", "", "404 Not Found\nnot here"},
		{"/loop", "", "too many redirects"},
	}
	for _, tt := range tests {
		r, err := run(t, s, "WebFetch", args{"url": srv.URL + tt.path, "prompt": "what is it?"})
		if tt.fail == "" && (err != nil || r.Text() != tt.text) {
			t.Errorf("%s: got %q, %v\nwant %q", tt.path, r.Text(), err, tt.text)
		}
		if tt.fail != "" && (err == nil || !strings.Contains(err.Error(), tt.fail)) {
			t.Errorf("%s: got %v, want %q", tt.path, err, tt.fail)
		}
	}
	if got := must(t, s, "WebFetch", args{"url": srv.URL + "/huge"}); len(got) > 101_000 || !strings.Contains(got, "(only the first 100000 of") {
		t.Errorf("%d bytes", len(got))
	}
	r, err := run(t, s, "WebFetch", args{"url": srv.URL + "/json"})
	if err != nil || !strings.HasPrefix(string(r.Response), `{"bytes":8,"code":200,"codeText":"OK","result":"{\"a\": 1}",`) {
		t.Errorf("got %s, %v", r.Response, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := runCtx(t, ctx, s, "WebFetch", args{"url": srv.URL + "/slow"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestWebFetchSummarizes(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "the page") }))
	defer srv.Close()
	s, _ := newSet(t, func(c *tool.Config) {
		c.Summarize = func(_ context.Context, prompt, page string) (string, error) { return prompt + ": " + page, nil }
	})
	if got := must(t, s, "WebFetch", args{"url": srv.URL, "prompt": "short"}); got != "short: the page" {
		t.Errorf("got %q", got)
	}
	if got := must(t, s, "WebFetch", args{"url": srv.URL}); got != "the page" {
		t.Errorf("got %q", got)
	}
}

func TestWebFetchRefuses(t *testing.T) {
	s, _ := newSet(t)
	for _, u := range []string{
		"", "x", "file:///etc/passwd", "ftp://x/", "http://", "http://u:p@x/", "http://169.254.169.254/latest/meta-data/",
		"http://[fe80::1]/", "http://[::ffff:169.254.169.254]/",
	} {
		if r, err := run(t, s, "WebFetch", args{"url": u}); err == nil {
			t.Errorf("%q: got %q", u, r.Text())
		}
	}
}

func FuzzWebFetchHTML(f *testing.F) {
	f.Add(page)
	f.Add("<a href=x><a href=y></a></a></ul></ol></pre><li>")
	f.Add("<script>")
	var body string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, body)
	}))
	f.Cleanup(srv.Close)
	s, err := tool.New(tool.Config{Dir: f.TempDir()})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	f.Fuzz(func(t *testing.T, html string) {
		body = html
		if _, err := run(t, s, "WebFetch", args{"url": srv.URL}); err != nil {
			t.Fatal(err)
		}
	})
}

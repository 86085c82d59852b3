package httpcall

import (
	"net/url"
	"testing"
)

func TestAllowed(t *testing.T) {
	for _, tt := range []struct {
		pattern, target string
		want            bool
	}{
		{"https://hooks.example.com/*", "https://hooks.example.com/a/b?c=d", true},
		{"https://hooks.example.com/*", "https://hooks.example.com/", true},
		{"https://hooks.example.com/*", "https://hooks.example.com", true},
		{"https://hooks.example.com/*", "http://hooks.example.com/a", false},
		{"https://hooks.example.com/*", "https://hooks.example.com:8443/a", false},
		{"https://hooks.example.com/*", "https://hooks.example.com:443/a", true},
		{"https://hooks.example.com/*", "https://HOOKS.example.COM/a", true},
		{"https://hooks.example.com/*", "https://hooks.example.com.evil.org/a", false},
		{"https://hooks.example.com/*", "https://hooks.example.com@evil.org/a", false},
		{"https://hooks.example.com/*", "https://evil.org/https://hooks.example.com/", false},
		{"https://hooks.example.com*", "https://hooks.example.com/a", true},
		{"https://hooks.example.com*", "https://hooks.example.com:99/a", true},
		{"https://hooks.example.com*", "https://hooks.example.com.evil.org/a", false},
		{"https://*.example.com/*", "https://a.b.example.com/x", true},
		{"https://*.example.com/*", "https://example.com/x", false},
		{"https://*.example.com/*", "https://evil.org/.example.com/x", false},
		{"https://*.example.com/*", "https://evil.org?.example.com/x", false},
		{"http://localhost:*", "http://localhost:8080/hook?x", true},
		{"http://localhost:*", "http://localhost/hook", true},
		{"http://localhost:*/hook", "http://localhost:8080/other", false},
		{"http://localhost:*", "http://localhost.evil.org:80/", false},
		{"http://[::1]:80*/x", "http://[::1]:8080/x", true},
		{"http://x", "http://x/", true},
		{"http://x", "http://x/y", false},
		{"http://x/a/*", "http://x/a/../b", false},
		{"http://x/a/*", "http://x/a/%2e%2e/b", false},
		{"http://x/a", "http://x/a?b", false},
		{"http://u@x/*", "http://x/", false},
		{"http*://x/*", "https://x/y", true},
		{"*", "https://anything/at?all", true},
		{"x/*", "http://x/y", false},
	} {
		u, err := url.Parse(tt.target)
		if err != nil {
			t.Fatal(err)
		}
		if got := Allowed([]string{"http://no.match/", tt.pattern}, u); got != tt.want {
			t.Errorf("%s with %s: %v, want %v", tt.pattern, tt.target, got, tt.want)
		}
	}
	u := &url.URL{Scheme: "http", Host: "x", Path: "/"}
	if !Allowed(nil, u) || Allowed([]string{}, u) {
		t.Error("nil must allow all and an empty list none")
	}
}

func FuzzAllowed(f *testing.F) {
	f.Add("https://*.example.com/*", "https://a.example.com/x")
	f.Add("http://[::1]:*", "http://[::1]:1/")
	f.Add("*://*", "http://x")
	f.Add("*", "http://]:1/")
	f.Fuzz(func(t *testing.T, pattern, target string) {
		u, err := parseTarget(target)
		if err != nil {
			return
		}
		Allowed([]string{pattern}, u) // must not panic
		if _, err := parseTarget(origin(u)); err != nil {
			t.Errorf("the origin %q of %q is not a target: %v", origin(u), target, err)
		}
	})
}

func FuzzExpandVars(f *testing.F) {
	for _, s := range []string{"", "$A", "${A}", "${A", "$$A", "$1", "${}", "é$A"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := expandVars(s, func(name string) string {
			if nameLen(name) != len(name) || name == "" {
				t.Errorf("%q is not a name", name)
			}
			return ""
		})
		if len(got) > len(s) {
			t.Errorf("%q grew to %q", s, got)
		}
	})
}

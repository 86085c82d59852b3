package gitcmd_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/gitcmd"
)

func TestParseURLAccepts(t *testing.T) {
	tests := []struct {
		in, text string
		via      gitcmd.Transport
		host     string
		segments string
	}{
		{"https://github.com/org/repo.git", "", gitcmd.HTTPS, "github.com", "org repo.git"},
		{"https://github.com/org/repo/", "https://github.com/org/repo", gitcmd.HTTPS, "github.com", "org repo"},
		{"https://example.org:8443/a/b/c", "", gitcmd.HTTPS, "example.org", "a b c"},
		{"https://[::1]:8443/a/b", "", gitcmd.HTTPS, "::1", "a b"},
		{"ssh://git@example.org:22/org/repo", "", gitcmd.SSH, "example.org", "org repo"},
		{"ssh://example.org/org/repo", "", gitcmd.SSH, "example.org", "org repo"},
		{"git@github.com:org/repo.git", "", gitcmd.SSH, "github.com", "org repo.git"},
		{"host.example:org/repo", "", gitcmd.SSH, "host.example", "org repo"},
		{"file:///srv/git/repo", "", gitcmd.File, "", "srv git repo"},
		{"file:///srv/my%20plug", "", gitcmd.File, "", "srv my plug"},
		{"http://127.0.0.1:8080/org/repo", "", gitcmd.HTTPLoopback, "127.0.0.1", "org repo"},
		{"http://localhost/org/repo", "", gitcmd.HTTPLoopback, "localhost", "org repo"},
	}
	for _, tt := range tests {
		u, err := gitcmd.ParseURL(tt.in)
		if err != nil {
			t.Errorf("%s: %v", tt.in, err)
			continue
		}
		want := tt.text
		if want == "" {
			want = tt.in
		}
		if u.String() != want || u.Transport != tt.via || u.Host != tt.host || strings.Join(u.Segments(), " ") != tt.segments {
			t.Errorf("%s: got %q %+v", tt.in, u, u)
		}
	}
}

func TestParseURLRefuses(t *testing.T) {
	for _, s := range []string{
		"", "-oProxyCommand=x", "--upload-pack=touch x", "ext::sh -c touch% x", "fd::17", "::x",
		"git://example.org/a/b", "ftp://example.org/a/b", "http://example.org/a/b", "http://127.0.0.1.example.org/a/b",
		"ssh://-oProxyCommand=x/a", "ssh://a@-oProxyCommand=x/a/b", "ssh://-l@host/a/b", "git@-host:a/b", "-u@host:a/b", "git@host:-a/b",
		"https://user:hunter2@example.org/a/b", "https://hunter2@example.org/a/b", "ssh://git:hunter2@example.org/a/b",
		"https://example.org/a/b?token=hunter2", "https://example.org/a/b#x", "https://example.org/a b",
		"https://example.org/a/../b", "file:///srv/../etc", "file://host/share", "file://", "https://", "https://example.org", "https://example.org/",
		"https://example.org/a%0ab", "https://example.org/a%00b", "https://example.org/%2doption/x", "https://example.org/%zz",
		"https://ex\u0430mple.org/a/b", "https://example.org\u202e/a/b", "https://example.org/a\nb", "https://example.org/a\tb", "\x00",
		"https://example.org:port/a/b", "https://[::1/a/b", "https://exa\\mple.org/a", "org/repo", "C:\\x", "c:x", "git@host:", "host::a",
	} {
		u, err := gitcmd.ParseURL(s)
		if _, ok := errors.AsType[*gitcmd.URLError](err); !ok {
			t.Errorf("%q: got %+v, %v", s, u, err)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: the secret is in %q", s, err)
		}
		for _, r := range err.Error() {
			if r < ' ' || r == '\u202e' {
				t.Errorf("%q: control characters in %q", s, err)
			}
		}
	}
}

func TestValidateRef(t *testing.T) {
	for _, ref := range []string{"", "main", "v1.2.3", "feature/x", "release-1", "user@host", "a+b", "größe", strings.Repeat("a", 40), "refs/heads/main", "#1"} {
		if err := gitcmd.ValidateRef(ref); err != nil {
			t.Errorf("%q: %v", ref, err)
		}
	}
	for _, ref := range []string{
		"-x", "--upload-pack=x", "a b", "a..b", "a~1", "a^", "a:b", "a?b", "a*b", "a[b", `a\b`, "@", "a@{1}", "/a", "a/", "a//b", ".a", "a/.b", "a.", "a.lock", "a.lock/b",
		"a\nb", "a\x00b", "a\u202eb", "a\xffb", strings.Repeat("a", 300),
	} {
		if _, ok := errors.AsType[*gitcmd.RefError](gitcmd.ValidateRef(ref)); !ok {
			t.Errorf("%q passed", ref)
		}
	}
}

func FuzzParseURL(f *testing.F) {
	for _, s := range []string{"https://github.com/org/repo", "git@host:org/repo", "ssh://git@host:22/a", "file:///a/b", "ext::x", "http://[::1]:80/a", "https://u:p@h/x", "-x", "https://h/%2d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := gitcmd.ParseURL(s)
		if err != nil {
			return
		}
		text := u.String()
		if text == "" || text[0] == '-' || strings.ContainsAny(text, "\x00\n\r\t") || len(u.Segments()) == 0 {
			t.Fatalf("%q gave %q", s, text)
		}
		again, err := gitcmd.ParseURL(text)
		if err != nil || again != u {
			t.Fatalf("%q is not stable: %+v, %+v, %v", s, u, again, err)
		}
	})
}

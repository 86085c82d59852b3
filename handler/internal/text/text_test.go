package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		" a\n\tb\r\n":                  "a  b",
		"\x1b[31mred\x07\u202E":        `\x1b[31mred\x07\u{202E}`,
		"\xff":                         `\xff`,
		strings.Repeat("é", 300):       strings.Repeat("é", 200) + "…",
		strings.Repeat("\x1b[0m", 900): strings.Repeat(`\x1b[0m`, 28) + `\x1b…`,
	} {
		if got := Quote([]byte(in)); got != want {
			t.Errorf("Quote(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"": "", "a": "a", "a\nb\n\n": "b", "a\r\nb\r\n": "b", "\n": "", "a\n\x1b[31mred\x1b[0m\x07\n": `red\x07`} {
		if got := LastLine([]byte(in)); got != want {
			t.Errorf("LastLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestIdentity(t *testing.T) {
	if Identity("k", "ab", "c") == Identity("k", "a", "bc") || Identity("k", "") == Identity("k") || Identity("a") == Identity("b") {
		t.Error("different parts have one identity")
	}
	if again := Identity("k", "a"); again != Identity("k", "a"+"") || strings.Contains(Identity("k", "secret"), "secret") {
		t.Error(Identity("k", "secret"))
	}
}

func FuzzQuote(f *testing.F) {
	f.Add([]byte("a\x00b\u009b31m\xed\xa0\x80"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := Quote(b)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, unicode.IsControl) || utf8.RuneCountInString(got) > maxQuote+1 {
			t.Errorf("Quote(%q) = %q", b, got)
		}
	})
}

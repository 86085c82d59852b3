package clean_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/hookline-dev/hookline/ui/clean"
)

func TestTable(t *testing.T) {
	tests := []struct{ name, in, text, line, prompt string }{
		{"plain", "hello ✓ wörld", "hello ✓ wörld", "hello ✓ wörld", "hello ✓ wörld"},
		{"lines", "a\r\nb\tc\n", "a\nb\tc\n", "a b c ", "a\nb\tc\n"},
		{"carriage return overwrites", "rm -rf /\rls      ", "rm -rf /\nls      ", "rm -rf / ls      ", `rm -rf /\rls      `},
		{"backspace", "rm\b\bls", "rmls", "rmls", `rm\x08\x08ls`},
		{"NUL, BEL, DEL", "a\x00b\x07c\x7fd", "abcd", "abcd", `a\x00b\x07c\x7fd`},
		{"vertical tab, form feed, next line, separators", "a\vb\fc\u0085d\u2028e\u2029f", "a\nb\nc\nd\ne\nf", "a b c d e f", `a\x0bb\x0cc\u{0085}d\u{2028}e\u{2029}f`},
		{"colour is kept and closed", "\x1b[1;31mred", "\x1b[1;31mred\x1b[0m", "\x1b[1;31mred\x1b[0m", "red"},
		{"colour that is closed", "\x1b[38;2;8;8;8mred\x1b[m", "\x1b[38;2;8;8;8mred\x1b[m", "\x1b[38;2;8;8;8mred\x1b[m", "red"},
		{"conceal", "a\x1b[8mb\x1b[1;08mc", "abc", "abc", `a\x1b[8mb\x1b[1;08mc`},
		{"private SGR", "\x1b[>4;2mx\x1b[?1m", "x", "x", `\x1b[>4;2mx\x1b[?1m`},
		{"cursor, erase, screen", "a\x1b[2Kb\x1b[1;1Hc\x1b[?1049hd", "abcd", "abcd", `a\x1b[2Kb\x1b[1;1Hc\x1b[?1049hd`},
		{"8-bit CSI", "a\u009b31mb\u009b2Jc", "abc", "abc", `a\u{009B}31mb\u{009B}2Jc`},
		{"raw 8-bit CSI byte", "a\x9b31mb", "a\uFFFD31mb", "a\uFFFD31mb", `a\x9b31mb`},
		{"title", "a\x1b]0;evil\x07b", "ab", "ab", `a\x1b]0;evil\x07b`},
		{"hyperlink", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text", "text", `\x1b]8;;http://x\x1b\text\x1b]8;;\x1b\`},
		{"clipboard", "a\x1b]52;c;cm0=\x07b", "ab", "ab", `a\x1b]52;c;cm0=\x07b`},
		{"8-bit OSC and ST", "a\u009d52;c;x\u009cb", "ab", "ab", `a\u{009D}52;c;x\u{009C}b`},
		{"DCS, APC, PM, SOS", "a\x1bPx\x1b\\\x1b_y\x1b\\\x1b^z\x1b\\\x1bXw\x1b\\b", "ab", "ab", `a\x1bPx\x1b\\x1b_y\x1b\\x1b^z\x1b\\x1bXw\x1b\b`},
		{"unfinished string hides nothing", "a\x1b]0;rm -rf /", "a0;rm -rf /", "a0;rm -rf /", `a\x1b]0;rm -rf /`},
		{"unfinished CSI hides nothing", "a\x1b[31", "a31", "a31", `a\x1b[31`},
		{"reset, charset, lone ESC", "a\x1bcb\x1b(0c\x1b", "abc", "abc", `a\x1bcb\x1b(0c\x1b`},
		{"ESC that a removal would build", "\x1b\x1b[2J[31mx", "[31mx", "[31mx", `\x1b\x1b[2J[31mx`},
		{"bidi", "a\u202eb\u2066c\u2069d\u200fe\u061cf", "abcdef", "abcdef", `a\u{202E}b\u{2066}c\u{2069}d\u{200F}e\u{061C}f`},
		{"zero width", "pay\u200bpal\ufeff\u00ad\u2060", `pay\u{200B}pal\u{FEFF}\u{00AD}\u{2060}`, `pay\u{200B}pal\u{FEFF}\u{00AD}\u{2060}`, `pay\u{200B}pal\u{FEFF}\u{00AD}\u{2060}`},
		{"tags and fillers", "a\U000E0041b\u3164c\u2800", `a\u{E0041}b\u{3164}c\u{2800}`, `a\u{E0041}b\u{3164}c\u{2800}`, `a\u{E0041}b\u{3164}c\u{2800}`},
		{"emoji", "👩\u200d💻 ❤\ufe0f 1\ufe0f", "👩\u200d💻 ❤\ufe0f 1\ufe0f", "👩\u200d💻 ❤\ufe0f 1\ufe0f", "👩\u200d💻 ❤\ufe0f 1\ufe0f"},
		{"joiner between letters", "a\u200db", `a\u{200D}b`, `a\u{200D}b`, `a\u{200D}b`},
		{"selectors that carry data", "a\ufe0f\ufe01❤\ufe0f\ufe0f", `a\u{FE0F}\u{FE01}❤` + "\ufe0f" + `\u{FE0F}`, `a\u{FE0F}\u{FE01}❤` + "\ufe0f" + `\u{FE0F}`, `a\u{FE0F}\u{FE01}❤` + "\ufe0f" + `\u{FE0F}`},
		{"lone surrogate", "a\xed\xa0\x80b", "a\uFFFDb", "a\uFFFDb", `a\xed\xa0\x80b`},
		{"piled marks", "e" + strings.Repeat("\u0301", 30), "e" + strings.Repeat("\u0301", 8), "e" + strings.Repeat("\u0301", 8), "e" + strings.Repeat("\u0301", 8) + strings.Repeat(`\u{0301}`, 22)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := clean.Text(tt.in); got != tt.text {
				t.Errorf("Text = %q, want %q", got, tt.text)
			}
			if got := clean.Line(tt.in); got != tt.line {
				t.Errorf("Line = %q, want %q", got, tt.line)
			}
			if got := clean.Prompt(tt.in); got != tt.prompt {
				t.Errorf("Prompt = %q, want %q", got, tt.prompt)
			}
			if got, want := clean.Exact(tt.in), clean.Prompt(escapes.Replace(tt.in)); got != want {
				t.Errorf("Exact = %q, want %q", got, want)
			}
			if got := clean.PlainLine(tt.in); got != ansi.Strip(tt.line) {
				t.Errorf("PlainLine = %q, want %q", got, ansi.Strip(tt.line))
			}
		})
	}
	for _, f := range []func(string) string{clean.PromptLine, clean.ExactLine} {
		if got := f("a\nb\tc"); got != `a\nb\tc` {
			t.Errorf("a line = %q", got)
		}
	}
}

// escapes shows what begins a sequence, so that no colour is left to remove.
var escapes = strings.NewReplacer("\x1b", `\x1b`, "\u009b", `\u{009B}`)

func TestTextsThatDifferLookDifferent(t *testing.T) {
	seen := map[string]string{}
	for _, s := range []string{"guard", "\x1b[31mguard", "\x1b[32mguard", "guard\x1b[0m", "gu\u200bard", "gu\u00adard", "guard\xff", "guard\xfe", "guard\r", "guard\n", "guard\t", "\u202eguard", "guard" + strings.Repeat("\u0301", 9), "guard" + strings.Repeat("\u0301", 10)} {
		out := clean.ExactLine(s)
		if other, ok := seen[out]; ok {
			t.Errorf("%q and %q both look like %q", s, other, out)
		}
		seen[out] = s
	}
}

var sgr = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// check states what cleaned text never holds.
func check(t interface{ Fatalf(string, ...any) }, name, in string, f func(string) string, lines, colours bool) {
	out := f(in)
	if !utf8.ValidString(out) {
		t.Fatalf("%s(%q) = %q is not UTF-8", name, in, out)
	}
	if again := f(out); again != out {
		t.Fatalf("%s(%q) = %q, and again %q", name, in, out, again)
	}
	rest := out
	if colours {
		rest = sgr.ReplaceAllString(out, "")
	}
	for _, r := range rest {
		if lines && (r == '\n' || r == '\t') {
			continue
		}
		if unicode.Is(unicode.Cc, r) || r == 0x2028 || r == 0x2029 || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x200B {
			t.Fatalf("%s(%q) = %q holds %U", name, in, out, r)
		}
	}
}

func checkAll(t interface{ Fatalf(string, ...any) }, s string) {
	check(t, "Text", s, clean.Text, true, true)
	check(t, "Line", s, clean.Line, false, true)
	check(t, "PlainText", s, clean.PlainText, true, false)
	check(t, "PlainLine", s, clean.PlainLine, false, false)
	check(t, "Prompt", s, clean.Prompt, true, false)
	check(t, "PromptLine", s, clean.PromptLine, false, false)
	check(t, "Exact", s, clean.Exact, true, false)
	check(t, "ExactLine", s, clean.ExactLine, false, false)
}

func TestLaws(t *testing.T) {
	pieces := []string{
		"a", "é", "中", " ", "\n", "\t", "\r", "\b", "\x00", "\x1b", "[", "]", "31", ";", ":", "?", "m", "K", "8", "0",
		"\x07", "\\", "\x1b\\", "\u009b", "\u009c", "\u009d", "\u0090", "\x9b", "\xed\xa0\x80", "\xff", "\u202e", "\u2069",
		"\u200b", "\u200d", "\ufe0f", "👩", "💻", "\u0301", "\x18", "P", "(", "\u2028", "\x1b[1m", "\x1b[0m", "\x1b]8;;x\x07",
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(pieces), rapid.String())).Draw(t, "parts")
		checkAll(t, strings.Join(parts, ""))
	})
}

func TestCutLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := clean.Line(strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "中", "👩\u200d💻", "\x1b[31m", "é", " "})).Draw(t, "s"), ""))
		n := rapid.IntRange(0, 20).Draw(t, "n")
		got := clean.Cut(s, n)
		if clean.Width(got) > n {
			t.Fatalf("Cut(%q, %d) = %q takes %d cells", s, n, got, clean.Width(got))
		}
		check(t, "Line", got, clean.Line, false, true)
	})
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\x1b[31mb", "\x1b]52;c;x\x07", "\u009b2J", "\xed\xa0\x80", "👩\u200d💻", "\x1b\x1b[2J[31mx"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkAll(t, s) })
}

func BenchmarkTextNothingToDo(b *testing.B) {
	s := strings.Repeat("a perfectly ordinary line of output\n", 100)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		clean.Text(s)
	}
}

func BenchmarkTextColours(b *testing.B) {
	s := strings.Repeat("\x1b[31mred\x1b[0m and \x1b[2K gone ünïcödé\n", 100)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		clean.Text(s)
	}
}

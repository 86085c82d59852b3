package clean_test

import (
	"testing"

	"github.com/hookline-dev/hookline/ui/clean"
)

func TestHarmless(t *testing.T) {
	for s, want := range map[string]bool{
		"": true, "\a": true, "\a\a": true, "\x1b]0;title\a": true, "\x1b]2;title\x1b\\\a": true, "\x1b]9;done\a": true, "\x1b]777;notify;a;b\x1b\\": true,
		"x": false, "\x1b[2J": false, "\x1b]52;c;eA==\a": false, "\x1b]8;;http://x\a": false, "\x1b]0;no end": false, "\x1b]0;a\x1b[2Jb\a": false,
		"\x1b]0;a\nb\a": false, "\x1b]0;a\u009b2J\a": false, "\a\x1bc": false, "\x1b]0\a": false, "\x1b]00;a\a": false,
	} {
		if clean.Harmless(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}

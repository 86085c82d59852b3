//go:build unix

package builtin_test

import (
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/handler/command/internal/builtin"
)

// TestErrexit has scripts that set -e ends here and not there: each has the code of bash
// if it is run in this process at all.
func TestErrexit(t *testing.T) {
	needShells(t)
	for _, text := range []string{
		"if true; then\n [ -z x ] && exit 3\nfi\necho blocked >&2; exit 2",
		"if false; then :; else\n [ -z x ] && exit 3\nfi\nexit 2",
		"for i in 1; do [ -z x ] && exit 3; done\nexit 2",
		"case a in a) [ -z x ] && exit 3 ;; esac\nexit 2",
		"{ [ -z x ] && exit 3; }\nexit 2",
		"{ false || false; } || exit 3\nexit 2",
		"if true; then ! true; fi\nexit 2",
		"printf a | while read -r w; do [ $w = q ] && exit 3; done\nexit 2",
		"printf 'a\\n' | while read -r w; do [ \"$w\" = q ] && exit 3; done\nexit 2",
		"[ -z x ] && exit 3\nexit 2",
		"if [ -z x ]; then exit 3; fi\nexit 2",
		"f() { [ -z x ] && return 3; }\nf\nexit 2",
	} {
		for _, shell := range []string{"", "#!/bin/bash\n"} {
			compare(t, shell+"set -e\n"+text)
		}
	}
	if _, err := builtin.Parse("set -e\nif true; then\n [ -z x ] && exit 3\nfi\nexit 2", builtin.Bash); err == nil || !strings.Contains(err.Error(), "set -e") {
		t.Errorf("%v", err)
	}
}

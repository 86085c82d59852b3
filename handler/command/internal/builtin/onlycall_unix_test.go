//go:build unix

package builtin_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hookline-dev/hookline/handler/process"
)

// TestOnlyCall has lines that do nothing but call a script, which is then run in the
// line's place, and lines that look like such: all end as with the real shell.
func TestOnlyCall(t *testing.T) {
	for _, name := range []string{"sh", "bash"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no %s on this machine", name)
		}
	}
	scripts := map[string]string{
		"guard.sh": `#!/bin/sh
read -r line
echo "$0|$#|$1|$2|$line|$GREETING|$PWD|${UNSET-none}"
case $line in *stop*) echo no >&2; exit 2 ;; esac
exit 3
`,
		"own.sh":   "#!/bin/bash\necho \"$0 ${BASH_SOURCE[0]} $# $1\"\nexit 4\n",
		"empty.sh": "",
		"child.sh": "#!/bin/sh\nenv | grep -c '^GREETING=hello there$'\ncat\n",
	}
	for _, line := range []string{
		"sh guard.sh", "sh guard.sh one 2", "sh ./guard.sh", "./guard.sh a", "sh -c 'sh guard.sh'", "bash own.sh x", "./own.sh", "sh child.sh",
		"sh empty.sh", "sh missing.sh", "./missing.sh", "sh guard.sh ''", `sh guard.sh "one two" '*'`,
		"! sh guard.sh", "sh guard.sh >/dev/stderr", "GREETING=other sh guard.sh", "sh guard.sh # said", "(sh guard.sh)", `sh guard.sh "$GREETING"`,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			s := spec(t, []byte("please stop\nmore\n"))
			for name, text := range scripts {
				if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			real := s
			real.Path, real.Args = "sh", []string{"-c", line}
			want, err := process.Run(t.Context(), real)
			if err != nil {
				t.Fatal(err)
			}
			p := program(t, line, lang(line))
			for range 2 {
				got, err := p.Run(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				if got.Code != want.Code || string(got.Stdout) != string(want.Stdout) || (len(got.Stderr) > 0) != (len(want.Stderr) > 0) {
					t.Errorf("code %d, want %d\nstdout %q\n  want %q\nstderr %q\n  want %q", got.Code, want.Code, got.Stdout, want.Stdout, got.Stderr, want.Stderr)
				}
			}
		})
	}
}

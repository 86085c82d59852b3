package refs

import (
	"path/filepath"
	"testing"
)

// TestComputed says of texts of the person whether what they run may be any file of the
// directory that they run in.
func TestComputed(t *testing.T) {
	root := project(t, map[string]string{
		"p/sub/x.sh": "", "p/x.sh": "", "p/Cargo.toml": "", "home/guard.sh": "#!/bin/sh\nd=$(dirname x.sh)\n. $d/x.sh\n",
		"home/good.sh": "#!/bin/sh\nd=\"$( cd -- \"$( dirname -- \"${BASH_SOURCE[0]}\" )\" &> /dev/null && pwd )\"\n. \"$d/lib.sh\"\nfor f in \"$@\"; do cat \"$f\"; done\n", "home/lib.sh": "", "home/x.py": "import subprocess\n",
	})
	o := Options{Dir: filepath.Join(root, "p"), Root: "/", Isolated: true, Vars: map[string]string{"HOME": filepath.Join(root, "home"), "CLAUDE_PROJECT_DIR": filepath.Join(root, "p")}}
	for text, want := range map[string]bool{
		`d=$(dirname x.sh); sh $d/x.sh`:                         true,
		`"$(cat name)"`:                                         true,
		`. "$DIR/lib.sh"`:                                       true,
		`sh -c "$(cat x.sh)"`:                                   true,
		`eval "$(cat x.sh)"`:                                    true,
		`cat x.sh | sh`:                                         true,
		`sh <<E` + "\n$(cat x.sh)\nE\n":                         true,
		`python3 "$(ls *.py)"`:                                  true,
		`python3 -m "$(cat m)"`:                                 true,
		`python3 -c "$(cat x.py)"`:                              true,
		`cat x.py | python3 -`:                                  true,
		`cat x.py | python3`:                                    true,
		`node -r "$(cat m)" ~/x.js`:                             true,
		`cd "$(cat dir)" && ./x.sh`:                             true,
		`echo x.sh | xargs sh`:                                  true,
		`find . -name x.sh -exec sh {} \;`:                      true,
		`find . -name x.sh | xargs -I{} sh {}`:                  true,
		`find . -name x.sh | while read -r f; do sh "$f"; done`: true,
		`BASH_ENV="$(cat f)" bash ~/good.sh`:                    true,
		`PATH="./bin:$PATH" tool`:                               true,
		`PATH="$(cat f):$PATH" tool`:                            true,
		`PATH="$CLAUDE_PROJECT_DIR/bin:$PATH" tool`:             true,
		`cargo clippy`:                                          true,
		`sh ~/guard.sh`:                                         true,
		`"/$(cat name)"`:                                        true,
		`"$CLAUDE_PROJECT_DIR/$(cat name)"`:                     true,

		`$HOME/bin/guard.sh "$PWD"`:                                 false,
		`~/good.sh "$(git rev-parse HEAD)"`:                         false,
		`bash ~/good.sh`:                                            false,
		`~/bin/"$(uname)".sh`:                                       false,
		`/usr/lib/guards/$(uname -m)/guard`:                         false,
		`jq -e '.tool_input.command | test("rm") | not'`:            false,
		`jq -r .x | while read -r f; do gofmt -l "$f"; done`:        false,
		`jq -r .tool_input.file_path | xargs -r gofmt -w`:           false,
		`f=$(jq -r .x); cd "$(dirname "$f")" && git status`:         false,
		`python3 ~/x.py "$(pwd)"`:                                   false,
		`python3 -c 'import json,sys; json.load(sys.stdin)'`:        false,
		`node -e 'process.exit(0)'`:                                 false,
		`PATH="$HOME/bin:$PATH" tool`:                               false,
		`PYTHONPATH="$HOME/lib${PYTHONPATH:+:$PYTHONPATH}" tool`:    false,
		`if [[ $(jq .x) -gt 3 ]]; then echo "$((1 + 2))"; fi`:       false,
		`bash -c 'if [[ $(jq .x) -gt 3 ]]; then exit 2; fi'`:        false,
		`curl -sS "$URL" -d @- | jq -r .decision`:                   false,
		`npx prettier --check "$(jq -r .x)"`:                        false,
		`node --version; python3 -V`:                                false,
		`uv run ~/x.py`:                                             false,
		`test -f "$CLAUDE_PROJECT_DIR/.ok" || exit 2`:               false,
		`timeout 5 ~/good.sh 2>&1 | tee -a ~/log`:                   false,
		`rg -q "$(cat ~/pattern)"`:                                  false,
		`osascript -e "display notification \"$(jq -r .message)\""`: true, // it is code
	} {
		if got := Command(text, o); (got.Computed != "") != want {
			t.Errorf("%s: %q, want %v; unseen %q", text, got.Computed, want, got.Unseen)
		}
	}
}

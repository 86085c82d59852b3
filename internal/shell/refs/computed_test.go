package refs

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestComputed says of texts of the person whether what they run may be any file of the
// directory that they run in.
func TestComputed(t *testing.T) {
	root := project(t, map[string]string{
		"p/sub/x.sh": "", "p/x.sh": "", "p/Cargo.toml": "", "home/guard.sh": "#!/bin/sh\nd=$(dirname x.sh)\n. $d/x.sh\n",
		"home/good.sh": "#!/bin/sh\nd=\"$( cd -- \"$( dirname -- \"${BASH_SOURCE[0]}\" )\" &> /dev/null && pwd )\"\n. \"$d/lib.sh\"\nfor f in \"$@\"; do cat \"$f\"; done\n", "home/lib.sh": "", "home/x.py": "import subprocess\n",
	})
	o := Options{Dir: filepath.Join(root, "p"), Root: "/", Isolated: true, Vars: map[string]string{"HOME": filepath.Join(root, "home"), "CLAUDE_PROJECT_DIR": filepath.Join(root, "p"), "XDG_CONFIG_HOME": ""}}
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
		`sh ~/guard.sh`:                                         true,
		`bash < "$f"`:                                           true,
		`sh < "$(ls hooks/*.sh)"`:                               true,
		`cat x | sh 3<~/lock`:                                   true,
		`cat x | sh < /dev/stdin`:                               true,
		`cat x.py | python3 /dev/stdin`:                         true,
		`cat x.js | node /dev/fd/0`:                             true,
		`python3 < "$f"`:                                        true,
		`cat x.py | python3 3<~/lock`:                           true,
		`python3 <<E` + "\n$(cat x.py)\nE\n":                    true,
		`sh "/proc/self/cwd/$f"`:                                true,
		`taskset 1 sh "$(cat n)"`:                               true,
		`hyperfine "sh $(cat n)"`:                               true,
		`ssh -o "ProxyCommand=sh $f" box`:                       false, // what git, ssh and the like may run is said
		`go test ./...`:                                         true,
		`go generate`:                                           true,
		`go run "$d"`:                                           true,
		`pytest -q`:                                             true,
		`python3 -m pytest`:                                     true,
		`uv run pytest`:                                         true,
		`bundle exec pytest`:                                    true,
		`jest`:                                                  true,
		`deno test`:                                             true,
		`npx "$x"`:                                              true,
		`docker build .`:                                        true,
		`docker compose up`:                                     true,
		`docker run -v "$PWD:/src" img`:                         true,
		`docker run --mount type=bind,src="$d",dst=/x img`:      true,
		`make -f "$f"`:                                          true,
		`make -C "$d"`:                                          true,
		`cargo clippy --manifest-path "$f"`:                     true,
		`NODE_OPTIONS="--require $f" tool`:                      true,
		`NODE_OPTIONS="--require ./x.js" tool`:                  true,
		`NODE_OPTIONS="--require x" tool`:                       true,
		`NODE_OPTIONS=--import=x tool`:                          true,
		`RUBYOPT=-I. tool`:                                      true,
		`RUBYOPT="-r./x" tool`:                                  true,
		`PERL5OPT=-Mlib=. tool`:                                 true,
		`DYLD_INSERT_LIBRARIES=/usr/lib/a:x.dylib tool`:         true,
		`NODE_OPTIONS="-r $CLAUDE_PROJECT_DIR/x.js" tool`:       true,
		`PATH="$PATH_EXTRA" tool`:                               true,
		`PATH= tool`:                                            true,
		`cd "$d" && make`:                                       true,
		`cd "$d" && just x`:                                     true,
		`cd "$d" && npm test`:                                   true,
		`cd "$d" && npx prettier`:                               true,
		`cd "$d" && go run ./tool`:                              true,
		`cd "$d/tools" && ./x.sh`:                               true,
		`sh "${XDG_CONFIG_HOME:-$(cat f)}/x.sh"`:                true,
		`sh "${XDG_CONFIG_HOME-$HOME/.config}/x.sh"`:            true, // it may be empty
		`sh "${XDG_CONFIG_HOME:-./cfg}$n"`:                      true,
		`sh "/home/$NOBODY/x.sh"`:                               false, // elsewhere, if not known where
		`"/$(cat name)"`:                                        true,
		`"$CLAUDE_PROJECT_DIR/$(cat name)"`:                     true,

		`bash ~/good.sh < "$f"`:                                     false,
		`bash ~/good.sh <<< "$f"`:                                   false,
		`sh < ~/good.sh`:                                            false,
		`sh < ~/bin/"$(uname)".sh`:                                  false,
		`taskset 1 ~/good.sh "$x"`:                                  false,
		`git -c safe.directory="$d" log`:                            false,
		`GIT_CONFIG_GLOBAL=/dev/null git log`:                       false,
		`ssh box notify`:                                            false,
		`ssh -o BatchMode=yes box "$cmd"`:                           false,
		`docker ps`:                                                 false,
		`docker run --rm -v /var/run/docker.sock:/s -v vol:/x img`:  false,
		`kubectl get pods`:                                          false,
		`cargo clippy`:                                              false,
		`npm --version`:                                             false,
		`go vet ./...`:                                              false,
		`make -f ~/x.mk`:                                            false,
		`PYTHONPATH= tool`:                                          false,
		`export PATH; tool`:                                         false,
		`BASH_ENV= bash ~/good.sh`:                                  false,
		`NODE_OPTIONS=--max-old-space-size=4096 tool`:               false,
		`NODE_OPTIONS="$NODE_OPTIONS --no-warnings" tool`:           false,
		`NODE_OPTIONS="-r $HOME/x.js" tool`:                         false,
		`RUBYOPT="-W0 -W:no-deprecated" tool`:                       false,
		`PATH="$HOME/bin:${PATH:+:${PATH}}" tool`:                   true, // holds an empty name
		`PATH="$HOME/bin${PATH:+:${PATH}}" tool`:                    false,
		`cd "$HOME/tools/$n" && ./x2.sh`:                            false,
		`sh "${XDG_CONFIG_HOME:-$HOME/.config}/y.sh"`:               false,
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

// TestBuilders finds the files of the project that programs build or run by.
func TestBuilders(t *testing.T) {
	root := project(t, map[string]string{
		"Cargo.toml": "", "package.json": "{}", "pyproject.toml": "", "flake.nix": "", "main.tf": "", "Gemfile": "", "x.rb": "", "build.gradle": "", "deno.json": "",
		"node_modules/.bin/lint": "", "sub/Cargo.toml": "", "sub/Makefile": "", ".yarnrc.yml": "", "p.just": "", "x.py": "", "y.sh": "",
	})
	o := options(root)
	o.Isolated = true
	for text, want := range map[string]string{
		"cargo clippy": "Cargo.toml",
		"cargo build --manifest-path sub/Cargo.toml": "Cargo.toml sub/Cargo.toml",
		"make -C sub":                       "sub/Makefile",
		"just --justfile=p.just":            "p.just",
		"gradle test":                       "build.gradle",
		"nix develop":                       "flake.nix",
		"terraform plan":                    "main.tf",
		"bundle exec ruby x.rb":             "Gemfile x.rb",
		"deno task x":                       "deno.json package.json",
		"npm ci":                            ".yarnrc.yml package.json",
		"yarn lint":                         ".yarnrc.yml package.json",
		"npm ls":                            "",
		"npm exec -- lint":                  "node_modules/.bin/lint",
		"pnpm exec lint":                    "node_modules/.bin/lint",
		"npx -p y lint":                     "node_modules/.bin/lint",
		"uv run ./x.py":                     "pyproject.toml x.py",
		"uv run x.py --no-project":          "pyproject.toml x.py",
		"uv run --script ./x.py":            "x.py",
		"uv run --no-project ./x.py":        "x.py",
		"taskset 1 sh y.sh":                 "y.sh",
		"ssh box sh y.sh":                   "",
		"ssh -o ProxyCommand='sh y.sh' box": "y.sh",
	} {
		if r := Command(text, o); names(root, r) != want || r.Computed != "" {
			t.Errorf("%s: %q, want %q; computed %q", text, names(root, r), want, r.Computed)
		}
	}
}

// TestMoreCommandsThanAreLookedAt has a text whose end is not read.
func TestMoreCommandsThanAreLookedAt(t *testing.T) {
	root := project(t, map[string]string{"x.sh": ""})
	text := strings.Repeat("true\n", 5000) + "sh x.sh\n"
	for _, text := range []string{text, "sh -c '" + text + "'"} {
		if r := Command(text, options(root)); r.Computed == "" {
			t.Errorf("%d bytes: nothing is said: %q", len(text), r.Unseen)
		}
	}
}

package permission_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// pieces are what the commands of TestNothingHiddenRuns are made of: values that hold
// a command in a subscript, put together so that no text shows it, and places where
// bash reads values.
var pieces = []string{
	// values
	`x='a[$'`, `y='(touch pwned)]'`, `z=$x$y`, `z=$x"(touch pwned)]"`, `z="a[$"'(touch pwned)]'`, `n=3`, `n=$((n+1))`, `f=README.md`, `y="-v $z"`, `w='z+1'`, `v=z`, `w=$v`,
	`export z`, `export w=$z`, `q=(1 2)`, `q=($z 2)`, `q[n]=1`, `q[z]=1`, `q=([z]=1)`, `for z in $x$y b; do :; done`, `for z in *; do :; done`, `for n in 1 2; do :; done`,
	`: $x$y`, `: "a[$"'(touch pwned)]'`, `z=$(cat hostile)`, `z=$(< hostile)`, `n=$(wc -l < README.md)`, `z+=$y`, `n+=$z`, `: ${z:=$x$y}`, `: ${n:=$z}`, `v='q[z]'`,
	`for f in x/* *; do cat "$f"; done`, `for f in *; do head -1 $f; done`, `read -r z < hostile`, `while IFS= read -r z; do echo "$z"; done < hostile`, `v=n; echo $((v))`, `f=hostile; z=$(cat $f)`,
	`find . -type f | xargs cat`, `awk '{print $1}' hostile`, `sed -n p hostile`, `cat <(cat hostile)`, `d=$PWD; ls "$d"`, `for n in $(seq 1 2); do f=$n; done`, `for v in z n; do echo $((v)); done`, `for v in z; do [[ -v $v ]]; done`,
	// places
	`echo $((z))`, `echo $((n + z))`, `echo $((w))`, `echo $((v))`, `echo $((n))`, `echo $((q))`, `echo $(($z))`, `echo $((${z}))`, `echo $((${n:-$z}))`, `echo "$((z + 1))"`,
	`echo ${q[z]}`, `echo ${q[$z]}`, `echo ${q[n]}`, `echo ${q:z}`, `echo ${n:0:z}`, `echo ${n:$z}`, `echo ${n:w}`, `echo $[z]`, `echo $((q[z]))`, `echo $((_))`,
	`[[ $z -eq 1 ]]`, `[[ z -eq 1 ]]`, `[[ 1 -lt w ]]`, `[[ $n -gt 1 ]]`, `[[ -v $z ]]`, `[[ -v v ]]`, `[[ -v q[z] ]]`, `[[ $z == a ]]`, `[[ -n $z ]]`,
	`[ -v $z ]`, `[ -v "$z" ]`, `[ $y ]`, `[ $z ]`, `test $y`, `test -v "$z"`, `[ "$y" "$z" ]`, `[ $n -gt 1 ]`, `[ -n "$z" ]`, `[ "$z" = a ]`, `[ -f $z ]`, `[ -f $f ]`, `[ ! $y ]`,
	`echo ${!z}`, `echo ${!v}`, `echo ${!w}`, `echo "$z"`, `echo $z`, `printf '%s' "$z"`, `printf '%d' "$z"`, `case $z in a) ;; esac`, `bash -c 'echo $((z))'`, `( echo $((z)) )`,
	`if [ $n -gt 1 ]; then echo $((z)); fi`, `for f in *; do [ -f $f ] && echo; done`, `for f in *; do [ -f "$f" ] && echo; done`, `for f in *; do [[ -f $f ]]; done`, `env z=$x$y bash -c 'echo $((z))'`,
	`bash -c 'echo $(($1))' _ $x$y`, `bash -c 'echo $(($1))' _ "$z"`, `echo "${q[@]:z}"`, `for ((i = z; i < 2; i++)); do :; done`, `i=$z; echo $((i++))`,
	"cat <<E\n$((z))\nE", "cat <<E\n${q[z]}\nE", "cat <<< $((z))", `echo ${q[@]/$((z))/}`, `[[ $((z)) ]]`, `echo ${q[q[0]]}`, `echo ${#q[z]}`, `echo ${q[@]:0:z}`, `case $((z)) in *) ;; esac`,
	`for i in ${q[z]}; do :; done`, `i=${q[z]}`, `export i=$((z))`, `[[ a =~ $z ]]`, `[[ -t z ]]`, `[[ -o $z ]]`, `exit $z`, `wait $z`, `sleep $z`, `printf '%*d' "$z" 1`, `test $z -eq 1`,
	`[ z -eq 1 ]`, `[ "$z" -eq 1 ]`, `[ 1 -eq "$z" ]`, `[ "$n" -eq 1 -a $z ]`, `trap 'echo $((z))' EXIT`, `eval 'echo $((z))'`, `time echo $((z))`, `i=z; echo $((i))`, `z=1; w=$((z))`,
	`echo $((${z^^}))`, `echo $((${z#x}))`, `echo ${z:-$((w))}`, `echo $((1 ? z : 2))`, `echo $((n = z))`, `echo $(( (z) ))`, `echo $((16#ff + z))`, `echo $((-z))`, `echo $((z[0]))`,
	`x=q; y=z; echo ${!x}`, `x='q[z]'; echo ${!x}`, `x='q[z]'; [[ -v $x ]]`, `echo ${q["$z"]}`, `echo ${q[-z]}`, `q+=([z]=1)`, `q[n + z]=1`, `n[z]=1`, `echo ${n[z]:-1}`,
}

// What runs unasked runs nothing but what it shows: commands made of pieces at random
// are run for real when they are allowed, in a folder with hostile files.
func TestNothingHiddenRuns(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("bash is needed")
	}
	// What is refused runs in a place of its own: it may outlive its run.
	p, other := project(t), project(t)
	for name, text := range map[string]string{"hostile": "a[$(touch pwned)]\n", "x -o -v a[$(touch pwned)]": "", "a[$(touch pwned)]": ""} {
		for _, dir := range []string{p, other} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	runs := func(dir, text string) bool {
		pwned := filepath.Join(dir, "pwned")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, bash, "-c", text)
		cmd.Dir, cmd.WaitDelay, cmd.Env = dir, 100*time.Millisecond, []string{"PATH=" + os.Getenv("PATH")}
		_ = cmd.Run() // many of them make no sense, and fail
		_, err := os.Stat(pwned)
		_ = os.Remove(pwned)
		return err == nil
	}
	c := checker(t, permission.Config{ProjectDir: p})
	r := rand.New(rand.NewPCG(13, 17))
	allowed, refused := 0, 0
	for n := range 1500 {
		parts := make([]string, 1+r.IntN(6))
		for i := range parts {
			parts[i] = pieces[r.IntN(len(pieces))]
		}
		text := strings.Join(parts, []string{"; ", "\n", " && "}[r.IntN(3)])
		if c.Decide(permission.Request{Tool: "Bash", Input: command(text), Cwd: p}).Decision != hook.DecisionAllow {
			if n%16 == 0 && runs(other, text) {
				refused++
			}
			continue
		}
		allowed++
		if runs(p, text) {
			t.Errorf("it runs unasked, and runs what it doesn't show:\n%s", text)
		}
	}
	if allowed == 0 || refused == 0 {
		t.Errorf("%d were allowed, and %d of those that were not did harm", allowed, refused)
	}
}

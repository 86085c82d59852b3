package builtin

import (
	"testing"

	"github.com/itchyny/gojq"

	"github.com/hookline-dev/hookline/handler/process"
)

func TestJqBrokenInput(t *testing.T) {
	p, err := Parse(`jq .a; echo "$?"; echo '[1' | jq -c '.[0]'; echo "$?"; echo 12345678901234567890123 | jq .`, Sh)
	if err != nil {
		t.Fatal(err)
	}
	exit, err := p.Run(t.Context(), process.Spec{Stdin: []byte(`{"a":`), Env: []string{"PATH="}})
	if want := "5\n5\n12345678901234567890123\n"; err != nil || string(exit.Stdout) != want {
		t.Errorf("%q, want %q, %v", exit.Stdout, want, err)
	}
}

// TestJqWithoutJq prints objects where there is no real jq to leave them to, and says
// itself what is wrong with a filter.
func TestJqWithoutJq(t *testing.T) {
	p, err := Parse(`jq -c .; jq -n '.['; echo "$?"; jq --seq . ; echo "$?"`, Sh)
	if err != nil {
		t.Fatal(err)
	}
	exit, err := p.Run(t.Context(), process.Spec{Stdin: []byte(`{"b":1,"a":[2]}`), Env: []string{"PATH="}})
	if want := "{\"a\":[2],\"b\":1}\n3\n127\n"; err != nil || string(exit.Stdout) != want {
		t.Errorf("%q, want %q, %v", exit.Stdout, want, err)
	}
}

func TestOfRun(t *testing.T) {
	for filter, want := range map[string]bool{
		".tool_input.command": false, ".input": false, "input": true, "[inputs]": true, "$ENV.X": true, "env.X": true,
		".environment": false, ".a|input_line_number": true, ".prevenv": false, "[.x, input]": true, ".a": false,
	} {
		if got := ofRun(filter); got != want {
			t.Errorf("ofRun(%q) = %v", filter, got)
		}
	}
}

// TestSureQuery has filters in which gojq may be another language than jq.
func TestSureQuery(t *testing.T) {
	for filter, want := range map[string]bool{
		".tool_input.command // empty": true, ".a": true, ".\"a b\"": true, "{decision: \"deny\", reason: $r}": true, "select(.a == \"x\") | .b": true,
		"if .a then 1 else 2 end": true, "[.a, .b]": true, ".a | length": true, "env.X": true,
		".[]": false, ".a[]": false, ".a[0]": false, ".[1:]": false, "keys": false, "test(\"x\")": false, "1 + 2": false, "\"\\(.a)\"": false,
		"@base64": false, "1.5": false, "reduce . as $x (0; 1)": false, "def f: .; f": false, "try .a": false, ".. ": false, "$nope": false, "-1": false, "map(.)": false,
	} {
		q, err := gojq.Parse(filter)
		if err != nil {
			t.Fatal(err)
		}
		if got := sureQuery(q, []string{"$r"}); got != want {
			t.Errorf("sureQuery(%q) = %v", filter, got)
		}
	}
}

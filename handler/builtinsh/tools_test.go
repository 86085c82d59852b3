package builtinsh

import (
	"slices"
	"testing"

	"github.com/hookline-dev/hookline/handler/process"
)

func TestReadFields(t *testing.T) {
	for _, tt := range []struct {
		ifs, line string
		n         int
		want      []string
	}{
		{" \t\n", "  a b  c d ", 2, []string{"a", "b  c d"}},
		{" \t\n", "a", 2, []string{"a"}},
		{" \t\n", "a ", 1, []string{"a"}},
		{",", "1,2,3,", 2, []string{"1", "2,3,"}},
		{",", "1,2,", 2, []string{"1", "2"}},
		{",", ",x", 2, []string{"", "x"}},
		{",", "1,,2", 3, []string{"1", "", "2"}},
		{": ", "a : b:c", 3, []string{"a", "b", "c"}},
		{"", " a b ", 1, []string{" a b "}},
		{" \t\n", "", 2, nil},
	} {
		if got := readFields(tt.ifs, tt.line, tt.n, true); !slices.Equal(got, tt.want) {
			t.Errorf("readFields(%q, %q, %d) = %q, want %q", tt.ifs, tt.line, tt.n, got, tt.want)
		}
	}
	if got := readFields(" ", `a\ b c`, 2, false); !slices.Equal(got, []string{"a b", "c"}) {
		t.Errorf("%q", got)
	}
}

// TestValuesAreNoOperators gives test values that look like its operators.
func TestValuesAreNoOperators(t *testing.T) {
	for _, v := range []string{"(", ")", "!", "-f", "-a", "-o", "=", "-z", ""} {
		for _, tt := range []struct {
			args []string
			want bool
		}{
			{[]string{v, "=", v}, true},
			{[]string{v, "!=", v}, false},
			{[]string{"!", v, "=", v}, false},
			{[]string{"-n", v}, v != ""},
			{[]string{"-z", v}, v == ""},
			{[]string{v}, v != ""},
		} {
			if got, err := evaluate(Bash, "/", tt.args); got != tt.want || err != nil {
				t.Errorf("test %q: %v, %v", tt.args, got, err)
			}
		}
	}
}

func TestTranslatePattern(t *testing.T) {
	for _, tt := range []struct {
		in       string
		extended bool
		want     string
		ok       bool
	}{
		{`a\|b`, false, "a|b", true},
		{"a|b", false, `a\|b`, true},
		{"a|b", true, "a|b", true},
		{"a+(b)", false, `a\+\(b\)`, true},
		{`\(ab\)\{2\}`, false, "(ab){2}", true},
		{"[a\\]", false, `[a\\]`, true},
		{"[]^-]", true, `[\]\^\-]`, true},
		{"*a", false, `\*a`, true},
		{"x^y$z", false, `x\^y\$z`, true},
		{`\(a\)\1`, false, "", false},
		{`\<a`, true, "", false},
		{"a{,3}", true, "", false},
		{"[[=a=]]", true, "", false},
	} {
		got, ok := translatePattern(tt.in, tt.extended)
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("translatePattern(%q, %v) = %q, %v, want %q", tt.in, tt.extended, got, ok, tt.want)
		}
	}
}

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

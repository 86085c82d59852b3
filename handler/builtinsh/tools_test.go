package builtinsh

import (
	"slices"
	"testing"
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
			if got, err := evaluate("/", tt.args); got != tt.want || err != nil {
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

package process

import (
	"errors"
	"slices"
	"strconv"
	"testing"
)

// look is what /proc shows of a process at one time.
type look struct {
	env    string
	begins bool
	err    error
}

func TestEnvironmentIsReadUntilItIsWhole(t *testing.T) {
	for name, c := range map[string]struct {
		looks []look
		want  string
		reads int
	}{
		"there":                     {[]look{{env: "A=1\x00"}}, "A=1\x00", 1},
		"none yet":                  {[]look{{begins: true}, {begins: true}, {env: "A=1\x00"}}, "A=1\x00", 3},
		"cut off by a new program":  {[]look{{env: "A", begins: true}, {env: "A=1\x00"}}, "A=1\x00", 2},
		"begun right after a look":  {[]look{{}, {env: "A=1\x00"}}, "A=1\x00", 2},
		"never one":                 {[]look{{}, {}}, "", 2},
		"over while it was awaited": {[]look{{begins: true}, {err: errors.New("no such process")}}, "", 2},
	} {
		reads := 0
		got := whole(func() ([]byte, error) { reads++; return []byte(c.looks[reads-1].env), c.looks[reads-1].err },
			func() bool { return c.looks[reads-1].begins })
		if string(got) != c.want || reads != c.reads {
			t.Errorf("%s: %q after %d reads, want %q after %d", name, got, reads, c.want, c.reads)
		}
	}
}

func TestChildrenThatAListLeavesOutAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		lists []string
		want  []int
	}{
		"none":              {[]string{""}, nil},
		"the same twice":    {[]string{"1 2 ", "1 2 "}, []int{1, 2}},
		"one was left out":  {[]string{"1 3 ", "1 2 3 ", "1 2 3 "}, []int{1, 3, 2}},
		"another one later": {[]string{"1 3 ", "2 3 ", "1 2 "}, []int{1, 3, 2}},
	} {
		looks := 0
		got := gather(func() []byte { looks++; return []byte(c.lists[looks-1]) })
		if !slices.Equal(got, c.want) || looks != len(c.lists) {
			t.Errorf("%s: %v after %d looks, want %v after %d", name, got, looks, c.want, len(c.lists))
		}
	}
	looks := 0
	if got := gather(func() []byte { looks++; return []byte(strconv.Itoa(looks)) }); len(got) != childLooks {
		t.Errorf("%v of a list that is another one each time, want %d looks", got, childLooks)
	}
}

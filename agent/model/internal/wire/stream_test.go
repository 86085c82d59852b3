package wire

import (
	"bufio"
	"errors"
	"strings"
	"testing"
)

func TestEvents(t *testing.T) {
	long := strings.Repeat("x", maxEvent/2)
	for name, tt := range map[string]struct {
		stream string
		want   []string // kind, "=", data
		fails  bool
	}{
		"kinds":             {"event: a\ndata: 1\n\ndata:2\n\n", []string{"a=1", "=2"}, false},
		"several lines":     {"data: 1\ndata:  2\n\n", []string{"=1\n 2"}, false},
		"carriage returns":  {"event: a\r\ndata: 1\r\n\r\n", []string{"a=1"}, false},
		"comments":          {": still there\n\nid: 7\ndata: 1\n: x\n\n", []string{"=1"}, false},
		"no data":           {"event: a\n\ndata: 1\n\n", []string{"=1"}, false},
		"cut off":           {"data: 1\n\ndata: 2\n", []string{"=1"}, false},
		"too long":          {"data: " + long + "\ndata: " + long + "\n\n", nil, true},
		"too long, a line":  {"data: " + long + long + "\n\n", nil, true},
		"a field by itself": {"data\ndata: 1\n\n", []string{"=1"}, false},
	} {
		var got []string
		var failed error
		for ev, err := range events(strings.NewReader(tt.stream)) {
			if failed = err; err == nil {
				got = append(got, ev.Kind+"="+string(ev.Data))
			}
		}
		if strings.Join(got, "|") != strings.Join(tt.want, "|") || errors.Is(failed, bufio.ErrTooLong) != tt.fails {
			t.Errorf("%s: got %q, %v, want %q", name, got, failed, tt.want)
		}
	}
}

package jsonx_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hookline-dev/hookline/internal/jsonx"
)

func TestEachLine(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	broken := errors.New("broken")
	for name, tt := range map[string]struct {
		in    io.Reader
		limit int
		want  string // the lines with their lengths, and the error
	}{
		"lines":         {strings.NewReader("a\n\n \r\n b \r\nc\n"), 9, "a b c"},
		"no end":        {strings.NewReader("a\nb"), 9, "a b"},
		"parts":         {iotest.OneByteReader(strings.NewReader("ab\ncd\n")), 9, "ab cd"},
		"long":          {strings.NewReader("a\n" + long + "\nb"), 1 << 20, "a " + long + " b"},
		"too long":      {strings.NewReader("a\n" + long + "\nb"), 100 << 10, "a line 2 of the program is longer than 0 MiB"},
		"it breaks off": {io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(broken)), 9, "a reading what the program writes: broken"},
		"a wrong one":   {strings.NewReader("a\n\n!\nb\n"), 9, "a line 3 of the program: wrong"},
	} {
		var got []string
		err := jsonx.EachLine(tt.in, tt.limit, func(line []byte) error {
			if string(line) == "!" {
				return errors.New("wrong")
			}
			got = append(got, string(line))
			return nil
		})
		if err != nil {
			got = append(got, err.Error())
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: %.80q, want %.80q", name, s, tt.want)
		}
	}
}

func TestMarshalAndWrites(t *testing.T) {
	for _, size := range []int{0, 10, 1 << 20} { // what is said of the size is only a hint
		b, err := jsonx.Marshal(map[string]string{"a": strings.Repeat("\n", 1000)}, size)
		if want := `{"a":"` + strings.Repeat(`\n`, 1000) + `"}`; err != nil || string(b) != want {
			t.Errorf("%d: %.40s %v", size, b, err)
		}
	}
	for _, size := range []int{1, 1 << 20} {
		line := [][]byte{[]byte("["), bytes.Repeat([]byte("x"), size), nil, []byte("]\n")}
		got := jsonx.Writes(line)
		if !bytes.Equal(bytes.Join(got, nil), bytes.Join(line, nil)) || size == 1 && len(got) != 1 || size > 1 && &got[1][0] != &line[1][0] {
			t.Errorf("%d: %d writes", size, len(got))
		}
	}
}

package jsonx_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/jsonx"
)

func Example() {
	root, err := jsonx.Parse([]byte(`{
  // how long to wait
  "timeout": [10, "20",],
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	second := root.Get("timeout").Items[1]
	fmt.Printf("%s at %d:%d is %v\n", second.Pointer(), second.Line, second.Column, second.Kind)
	// Output: /timeout/1 at 3:19 is a string
}

func TestPositions(t *testing.T) {
	root := parse(t, "\xef\xbb\xbf{ /* ünï */ \"ä\": {\"a/b~\": null},\r\n\t\"l\": [true , -1.5e3,\n{ }]}")
	for _, tt := range []struct {
		n            *jsonx.Node
		pointer      string
		line, column int
		kind         jsonx.Kind
	}{
		{root, "", 1, 1, jsonx.Object},
		{root.Get("ä"), "/ä", 1, 18, jsonx.Object},
		{root.Get("ä").Get("a/b~"), "/ä/a~1b~0", 1, 27, jsonx.Null},
		{root.Get("l").Items[0], "/l/0", 2, 8, jsonx.Bool},
		{root.Get("l").Items[1], "/l/1", 2, 15, jsonx.Number},
		{root.Get("l").Items[2], "/l/2", 3, 1, jsonx.Object},
	} {
		if tt.n.Pointer() != tt.pointer || tt.n.Line != tt.line || tt.n.Column != tt.column || tt.n.Kind != tt.kind {
			t.Errorf("%s at %d:%d is %v; want %s at %d:%d, %v", tt.n.Pointer(), tt.n.Line, tt.n.Column, tt.n.Kind, tt.pointer, tt.line, tt.column, tt.kind)
		}
	}
	if m := root.Members[1]; m.Line != 2 || m.Column != 2 {
		t.Errorf("key l at %d:%d", m.Line, m.Column)
	}
	if got, want := root.JSON(), `{"ä":{"a/b~":null},"l":[true,-1.5e3,{}]}`; got != want {
		t.Errorf("JSON() = %s", got)
	}
}

func TestDuplicatesAreListed(t *testing.T) {
	root := parse(t, `{"a":1,"b":2,"a":3}`)
	if len(root.Members) != 3 || len(root.Duplicates) != 1 || root.Duplicates[0].Column != 14 || root.Get("a").Text != "1" {
		t.Errorf("%+v", root)
	}
}

func TestErrorsHaveAPlace(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"empty", " \n", "1:1: the file is empty"},
		{"utf-16", "\xff\xfe{\x00}\x00", "1:1: the file is UTF-16 (little-endian) text"},
		{"invalid UTF-8", "{\n\"a\": \"\xff\"}", "2:7: invalid UTF-8"},
		{"unclosed", "{\"a\": [1,\n2", "2:2: "},
		{"missing comma", "{\"a\": 1\n\"b\": 2}", "2:1: "},
		{"two values", "{} {}", "1:4: "},
		{"too deep", strings.Repeat("[", 300), "1:201: nested deeper than 200 levels"},
		{"bare word", "{\"a\": yes}", "1:7: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := jsonx.Parse([]byte(tt.src))
			e, ok := errors.AsType[*jsonx.Error](err)
			if !ok || !strings.HasPrefix(e.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
	if _, err := jsonx.Parse([]byte(strings.Repeat("[", 1e6))); err == nil {
		t.Error("a million brackets were accepted")
	}
	if _, err := jsonx.Parse([]byte(`["` + strings.Repeat("[", 300) + `" /* ` + strings.Repeat("{", 300) + ` */]`)); err != nil {
		t.Errorf("brackets in a string and a comment count as nesting: %v", err)
	}
}

func TestManyValuesOnOneLine(t *testing.T) {
	root := parse(t, "["+strings.Repeat(`"ä",`, 200_000)+"7]")
	last := root.Items[len(root.Items)-1]
	if last.Line != 1 || last.Column != 200_000*4+2 {
		t.Errorf("the last value is at %d:%d", last.Line, last.Column)
	}
	_, err := jsonx.Parse([]byte("[" + strings.Repeat("1,\n", jsonx.MaxValues) + "1]"))
	if err == nil || !strings.Contains(err.Error(), "more than 524288 values") {
		t.Errorf("error %v", err)
	}
}

func TestStringsPointsAtTheWrongOne(t *testing.T) {
	root := parse(t, `{"good":["a"],"bad":["a",1],"none":"a"}`)
	if list, bad := root.Get("good").Strings(); bad != nil || len(list) != 1 {
		t.Error(list, bad)
	}
	if _, bad := root.Get("bad").Strings(); bad == nil || bad.Pointer() != "/bad/1" {
		t.Error(bad)
	}
	if _, bad := root.Get("none").Strings(); bad == nil || bad.Pointer() != "/none" {
		t.Error(bad)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,{"b":null}],}`, "// c\n[]", "{\"a\":\"\\ud800\"}", "{", "\xff\xfe", "/*", "[1,]//"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		root, err := jsonx.Parse(src)
		if err != nil {
			if _, ok := errors.AsType[*jsonx.Error](err); !ok {
				t.Fatalf("error %T", err)
			}
			return
		}
		again, err := jsonx.Parse([]byte(root.JSON()))
		if err != nil {
			t.Fatalf("%q does not parse: %v", root.JSON(), err)
		}
		if again.JSON() != root.JSON() {
			t.Fatalf("%q became %q", root.JSON(), again.JSON())
		}
	})
}

func parse(t *testing.T, src string) *jsonx.Node {
	t.Helper()
	root, err := jsonx.Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/jsonx"
)

// Parse reads a configuration file's text. What is wrong is left out and reported;
// the rest counts. The file is nil when the text is not a JSON object.
func Parse(path string, data []byte) (*File, []diag.Diagnostic) {
	root, err := jsonx.Parse(data)
	if e, ok := errors.AsType[*jsonx.Error](err); ok {
		return nil, []diag.Diagnostic{{Path: path, Line: e.Line, Column: e.Column, Message: e.Message, Remedy: e.Remedy}}
	}
	if err != nil {
		return nil, []diag.Diagnostic{{Path: path, Message: err.Error()}}
	}
	d := &decoder{path: path}
	if root.Kind != jsonx.Object {
		d.fault(root, "a configuration file holds an object, not "+root.Kind.String(), "write { ... }")
		return nil, d.diags
	}
	f := &File{}
	d.object(root, reflect.ValueOf(f).Elem())
	return f, d.diags
}

// decoder fills structs from a tree of positions.
type decoder struct {
	path  string
	diags []diag.Diagnostic
}

func (d *decoder) fault(n *jsonx.Node, message, remedy string) {
	d.diags = append(d.diags, diag.Diagnostic{
		Path: d.path, Line: n.Line, Column: n.Column, Pointer: n.Pointer(), Message: message, Remedy: remedy,
	})
}

func (d *decoder) object(n *jsonx.Node, v reflect.Value) {
	for _, m := range n.Duplicates {
		d.fault(m.Value, fmt.Sprintf("the key %q is there twice", m.Key), "remove one of them")
	}
	for _, m := range n.Members {
		field, ok := fieldOf(v.Type(), m.Key)
		if !ok {
			d.unknown(m, v.Type())
			continue
		}
		d.value(m.Value, v.FieldByIndex(field.Index))
		if words := field.Tag.Get("words"); words != "" {
			d.words(m.Value, strings.Split(words, ","))
		}
	}
}

func fieldOf(t reflect.Type, key string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("json") == key {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func (d *decoder) unknown(m jsonx.Member, t reflect.Type) {
	var known []string
	for i := range t.NumField() {
		known = append(known, t.Field(i).Tag.Get("json"))
	}
	slices.Sort(known)
	d.diags = append(d.diags, diag.Diagnostic{
		Path: d.path, Line: m.Line, Column: m.Column, Pointer: m.Value.Pointer(),
		Message: fmt.Sprintf("unknown key %q", m.Key), Remedy: "known keys: " + strings.Join(known, ", "),
	})
}

func (d *decoder) value(n *jsonx.Node, v reflect.Value) {
	wrong := func(want string) { d.fault(n, fmt.Sprintf("%s expected, not %s", want, n.Kind), "") }
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		before := len(d.diags)
		if d.value(n, p.Elem()); len(d.diags) == before {
			v.Set(p)
		}
	case reflect.Struct:
		if n.Kind != jsonx.Object {
			wrong("an object")
			return
		}
		d.object(n, v)
	case reflect.Bool:
		if n.Kind != jsonx.Bool {
			wrong("true or false")
			return
		}
		v.SetBool(n.Bool())
	case reflect.String:
		if n.Kind != jsonx.String {
			wrong("a string")
			return
		}
		v.SetString(n.Text)
	case reflect.Int:
		i, err := strconv.Atoi(n.Text)
		if n.Kind != jsonx.Number || err != nil || i < 0 {
			wrong("a whole number from 0")
			return
		}
		v.SetInt(int64(i))
	case reflect.Slice:
		list, bad := n.Strings()
		if bad != nil {
			d.fault(bad, "an array of strings expected", "")
			return
		}
		v.Set(reflect.ValueOf(list))
	case reflect.Map:
		d.mapping(n, v)
	}
}

func (d *decoder) mapping(n *jsonx.Node, v reflect.Value) {
	if n.Kind != jsonx.Object {
		d.fault(n, "an object expected, not "+n.Kind.String(), "")
		return
	}
	m := reflect.MakeMap(v.Type())
	for _, mem := range n.Members {
		e := reflect.New(v.Type().Elem()).Elem()
		before := len(d.diags)
		if d.value(mem.Value, e); len(d.diags) == before {
			m.SetMapIndex(reflect.ValueOf(mem.Key), e)
		}
	}
	v.Set(m)
}

// words checks a text, or the texts of a map, against the words that a setting takes.
func (d *decoder) words(n *jsonx.Node, words []string) {
	texts := []*jsonx.Node{n}
	if n.Kind == jsonx.Object {
		texts = nil
		for _, m := range n.Members {
			texts = append(texts, m.Value)
		}
	}
	for _, t := range texts {
		if t.Kind == jsonx.String && !slices.Contains(words, t.Text) {
			d.fault(t, fmt.Sprintf("unknown word %q", t.Text), "one of "+strings.Join(words, ", "))
		}
	}
}

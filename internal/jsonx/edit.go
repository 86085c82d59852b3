package jsonx

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// Doc is a text that is edited in place: what an edit does not name keeps its bytes.
// A path is a list of keys from the root. A key on it that stands twice is an error,
// since readers differ in which one counts. A failed edit changes nothing.
type Doc struct {
	root hujson.Value
	unit string // one step of indentation
}

// Edit reads a text that is to be changed. Errors are those of [Parse].
func Edit(src []byte) (*Doc, error) {
	if _, err := Parse(src); err != nil {
		return nil, err
	}
	root, err := hujson.Parse(src)
	if err != nil {
		return nil, err
	}
	d := &Doc{root: root, unit: "  "}
	if o, ok := root.Value.(*hujson.Object); ok && len(o.Members) > 0 {
		if unit := strings.TrimPrefix(string(layout(o.Members[0].Name.BeforeExtra)), "\n"); len(unit) > 1 || unit == "\t" {
			d.unit = unit
		}
	}
	return d, nil
}

// Bytes returns the text as it is now.
func (d *Doc) Bytes() []byte { return d.root.Pack() }

// Set puts a value, on one line, at a path whose objects are made where they are
// missing.
func (d *Doc) Set(value any, path ...string) error {
	made, err := literal(value, oneLine...)
	if err != nil {
		return err
	}
	v, err := d.find(path, made)
	if err != nil {
		return err
	}
	v.Value = made
	return nil
}

// Append adds an item to the list at a path, which is made where it is missing. A
// string that the list holds already is not added again.
func (d *Doc) Append(item any, path ...string) error {
	depth := len(path) + 1
	flat, err := literal(item, oneLine...)
	if err != nil {
		return err
	}
	v, err := d.find(path, &hujson.Array{AfterExtra: d.indent(depth - 1)})
	if err != nil {
		return err
	}
	list, err := array(v, path)
	if err != nil {
		return err
	}
	if text, ok := stringOf(flat); ok && slices.ContainsFunc(list.Elements, func(e hujson.Value) bool {
		has, ok := stringOf(e.Value)
		return ok && has == text
	}) {
		return nil
	}
	var last *hujson.Value
	if n := len(list.Elements); n > 0 {
		last = &list.Elements[n-1]
	}
	before := d.before(last, &list.AfterExtra, depth)
	if len(list.Elements) == 1 && len(before) == 0 {
		before = hujson.Extra(" ")
	}
	if bytes.Contains(before, []byte("\n")) { // else in a line with the others
		if flat, err = literal(item, jsontext.WithIndentPrefix(strings.Repeat(d.unit, depth)), jsontext.WithIndent(d.unit)); err != nil {
			return err
		}
	}
	list.Elements = append(list.Elements, hujson.Value{BeforeExtra: before, Value: flat})
	return nil
}

// Remove takes strings out of the list at a path, if it is there. A comment that
// stands before one goes with it.
func (d *Doc) Remove(gone func(string) bool, path ...string) error {
	v, err := d.find(path, nil)
	if v == nil || err != nil {
		return err
	}
	list, err := array(v, path)
	if err != nil {
		return err
	}
	list.Elements = slices.DeleteFunc(list.Elements, func(e hujson.Value) bool {
		text, ok := stringOf(e.Value)
		return ok && gone(text)
	})
	return nil
}

// Purge takes out of the value at a path, if it is there, every object that holds a string
// as a member, and with it what is empty then: lists, objects in which nothing but scalars
// is left, the value itself. It reports whether there was one.
func (d *Doc) Purge(gone func(string) bool, path ...string) (found bool, err error) {
	last := len(path) - 1
	parent, err := d.find(path[:last], nil)
	if parent == nil || err != nil {
		return false, err
	}
	o, ok := parent.Value.(*hujson.Object)
	if !ok {
		return false, nil
	}
	if _, err := member(o, path[last]); err != nil {
		return false, err
	}
	o.Members = slices.DeleteFunc(o.Members, func(m hujson.ObjectMember) bool {
		if key, _ := stringOf(m.Name.Value); key != path[last] {
			return false
		}
		any, all := purge(m.Value.Value, gone)
		found = found || any
		return all
	})
	return found, nil
}

// purge reports whether something was taken out of a value, and whether the value is to go.
func purge(v hujson.ValueTrimmed, gone func(string) bool) (found, all bool) {
	switch v := v.(type) {
	case *hujson.Object:
		for _, m := range v.Members {
			if text, ok := stringOf(m.Value.Value); ok && gone(text) {
				return true, true
			}
		}
		v.Members = slices.DeleteFunc(v.Members, func(m hujson.ObjectMember) bool {
			any, all := purge(m.Value.Value, gone)
			found = found || any
			return all
		})
		return found, found && !slices.ContainsFunc(v.Members, func(m hujson.ObjectMember) bool { return !scalar(m.Value.Value) })
	case *hujson.Array:
		v.Elements = slices.DeleteFunc(v.Elements, func(e hujson.Value) bool {
			any, all := purge(e.Value, gone)
			found = found || any
			return all
		})
		return found, found && len(v.Elements) == 0
	}
	return false, false
}

func scalar(v hujson.ValueTrimmed) bool {
	_, ok := v.(hujson.Literal)
	return ok
}

// find returns the value at a path. Where nothing is, made is put there, in objects
// that are made too; with no made it returns nil.
func (d *Doc) find(path []string, made hujson.ValueTrimmed) (*hujson.Value, error) {
	v := &d.root
	for i, name := range path {
		o, ok := v.Value.(*hujson.Object)
		switch {
		case !ok && i == 0:
			return nil, errors.New("the file does not hold a JSON object")
		case !ok:
			return nil, fmt.Errorf("%q is not an object in it", path[i-1])
		}
		next, err := member(o, name)
		if err != nil {
			return nil, err
		}
		if next == nil && made == nil {
			return nil, nil
		}
		if next == nil {
			value := made
			if i < len(path)-1 {
				value = &hujson.Object{AfterExtra: d.indent(i + 1)}
			}
			next = d.add(o, name, value, i+1)
		}
		v = next
	}
	return v, nil
}

// member finds a member by name.
func member(o *hujson.Object, name string) (found *hujson.Value, err error) {
	for i := range o.Members {
		if key, _ := stringOf(o.Members[i].Name.Value); key == name {
			if found != nil {
				return nil, fmt.Errorf("%q stands twice in it", name)
			}
			found = &o.Members[i].Value
		}
	}
	return found, nil
}

// add appends a member.
func (d *Doc) add(o *hujson.Object, name string, value hujson.ValueTrimmed, depth int) *hujson.Value {
	var last *hujson.Value
	if n := len(o.Members); n > 0 {
		last = &o.Members[n-1].Name
	}
	o.Members = append(o.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: d.before(last, &o.AfterExtra, depth), Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value},
	})
	return &o.Members[len(o.Members)-1].Value
}

// before returns what stands in front of a value that is added, in the layout of the
// last one, nil when there is none. A comment on the last one's own line, which is in
// the tail, stays with it.
func (d *Doc) before(last *hujson.Value, tail *hujson.Extra, depth int) hujson.Extra {
	end := bytes.IndexByte(*tail, '\n')
	if last == nil {
		if end < 0 {
			*tail = append(*tail, d.indent(depth-1)...)
		}
		return d.indent(depth)
	}
	before := layout(last.BeforeExtra)
	if end < 0 || len(bytes.TrimSpace((*tail)[:end])) == 0 {
		return before
	}
	if !bytes.HasPrefix(before, []byte("\n")) {
		before = append(hujson.Extra("\n"), before...)
	}
	before = slices.Concat((*tail)[:end], before)
	*tail = (*tail)[end:]
	return before
}

// layout is the white space of an extra, from its last line break on.
func layout(x hujson.Extra) hujson.Extra {
	i := bytes.LastIndexByte(x, '\n')
	if i < 0 {
		return hujson.Extra(strings.Repeat(" ", min(len(x), 1)))
	}
	tail := bytes.TrimLeft(x[i+1:], " \t")
	return hujson.Extra("\n" + string(x[i+1:len(x)-len(tail)]))
}

func (d *Doc) indent(depth int) hujson.Extra {
	return hujson.Extra("\n" + strings.Repeat(d.unit, depth))
}

var oneLine = []jsontext.Options{jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true)}

func literal(value any, opts ...jsontext.Options) (hujson.ValueTrimmed, error) {
	text, err := json.Marshal(value, opts...)
	if err != nil {
		return nil, err
	}
	v, err := hujson.Parse(text)
	return v.Value, err
}

func array(v *hujson.Value, path []string) (*hujson.Array, error) {
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, fmt.Errorf("%q is not a list in it", path[len(path)-1])
	}
	return list, nil
}

func stringOf(v hujson.ValueTrimmed) (string, bool) {
	lit, ok := v.(hujson.Literal)
	return lit.String(), ok && lit.Kind() == '"'
}

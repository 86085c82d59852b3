package jsonx

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind says what a Node is.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String names the kind as an error message does.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// Node is a value with its place. A tree of nodes is read-only.
type Node struct {
	Kind Kind
	// Line and Column count from 1; a column counts characters.
	Line, Column int
	// Text is the value of a String, and the spelling of a Number or Bool.
	Text string
	// Items are the elements of an Array.
	Items []*Node
	// Members are the members of an Object in their order, and Duplicates those
	// whose key an earlier member has.
	Members    []Member
	Duplicates []Member

	parent *Node
	step   string
}

// Member is a key and value of an object. Line and Column are the key's.
type Member struct {
	Key          string
	Line, Column int
	Value        *Node
}

// Child makes n a child of parent, below a key or an index, which is what its
// pointer is derived from.
func (n *Node) Child(parent *Node, step string) { n.parent, n.step = parent, step }

// Pointer returns the node's JSON pointer (RFC 6901), "" for the root.
func (n *Node) Pointer() string {
	if n.parent == nil {
		return ""
	}
	return n.parent.Pointer() + "/" + escape(n.step)
}

// escape writes a key as a step of a JSON pointer.
func escape(step string) string {
	if !strings.ContainsAny(step, "~/") {
		return step
	}
	return strings.ReplaceAll(strings.ReplaceAll(step, "~", "~0"), "/", "~1")
}

// Get returns the value of an object's key, the first one when there are several,
// or nil.
func (n *Node) Get(key string) *Node {
	for i := range n.Members {
		if n.Members[i].Key == key {
			return n.Members[i].Value
		}
	}
	return nil
}

// Bool returns whether the node is the boolean true.
func (n *Node) Bool() bool { return n.Kind == Bool && n.Text == "true" }

// Float returns the value of a Number; ok is false for other kinds and for
// numbers that a float64 cannot hold.
func (n *Node) Float() (f float64, ok bool) {
	if n.Kind != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(n.Text, 64)
	return f, err == nil
}

// Strings returns the elements of an Array of strings. When n is something else,
// bad is the node that is wrong.
func (n *Node) Strings() (list []string, bad *Node) {
	if n.Kind != Array {
		return nil, n
	}
	list = make([]string, len(n.Items))
	for i, item := range n.Items {
		if item.Kind != String {
			return nil, item
		}
		list[i] = item.Text
	}
	return list, nil
}

// JSON returns the value as JSON text on one line.
func (n *Node) JSON() string { return string(n.append(nil)) }

func (n *Node) append(dst []byte) []byte {
	switch n.Kind {
	case Null:
		return append(dst, "null"...)
	case String:
		return quote(dst, n.Text)
	case Array:
		dst = append(dst, '[')
		for i, item := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.append(dst)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, m := range n.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(quote(dst, m.Key), ':')
			dst = m.Value.append(dst)
		}
		return append(dst, '}')
	}
	return append(dst, n.Text...)
}

func quote(dst []byte, s string) []byte {
	// Text that was read is valid UTF-8, so quoting it does not fail.
	dst, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(s, "\uFFFD"))
	return dst
}

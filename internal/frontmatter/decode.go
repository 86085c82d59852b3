package frontmatter

import (
	"errors"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// Decode reads the header. A missing or empty header gives an empty Map, so
// that callers need no special case. Errors are of type *[diag.Diagnostic].
func (d Doc) Decode() (Value, error) {
	empty := Value{File: d.File, Line: 1, Column: 1, Kind: Map}
	if !d.HasHeader || !hasContent(d.Header) {
		return empty, nil
	}
	var node yaml.Node
	if err := yaml.Load([]byte(d.Header), &node); err != nil {
		return Value{}, d.yamlError(err)
	}
	if node.Kind != yaml.DocumentNode || len(node.Content) != 1 {
		return empty, nil
	}
	c := converter{file: d.File, left: maxNodes}
	v, err := c.convert(node.Content[0], 0)
	if err != nil {
		return Value{}, err
	}
	switch v.Kind {
	case Null:
		return empty, nil
	case Map:
		return v, nil
	}
	return Value{}, v.Errorf("write lines such as description: what it does", "the header must be a map of keys and values, not %s", v.Kind)
}

// hasContent reports whether a line of the header is more than blank or comment.
func hasContent(header string) bool {
	for line := range strings.Lines(header) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' {
			return true
		}
	}
	return false
}

// yamlError places an error of the YAML reader in the file: the header starts
// on the second line.
func (d Doc) yamlError(err error) *diag.Diagnostic {
	e := yamlErrors(d.File, err)[0]
	if e.Line == 0 {
		return &diag.Diagnostic{Path: d.File, Line: 1, Message: "reading the header: " + e.Message}
	}
	e.Line++
	return e
}

// yamlErrors places what the YAML reader found wrong in a file, and says what to do about it;
// there is at least one. The reader does not know every place.
func yamlErrors(file string, err error) []*diag.Diagnostic {
	var all []*diag.Diagnostic
	if many, ok := errors.AsType[*yaml.LoadErrors](err); ok {
		for _, one := range many.Errors {
			all = append(all, placed(file, one))
		}
	} else if one, ok := errors.AsType[*yaml.LoadError](err); ok {
		all = append(all, placed(file, one))
	}
	if len(all) == 0 {
		all = append(all, &diag.Diagnostic{Path: file, Message: err.Error()})
	}
	return all
}

func placed(file string, load *yaml.LoadError) *diag.Diagnostic {
	e := &diag.Diagnostic{Path: file, Line: load.Mark.Line, Column: load.Mark.Column, Message: strings.TrimPrefix(load.Message, "yaml: ")}
	if load.ContextMsg != "" {
		e.Message = load.ContextMsg + ": " + e.Message
	}
	switch {
	case strings.Contains(e.Message, "mapping values are not allowed"):
		e.Remedy = "put text that contains a colon in quotes"
	case strings.Contains(e.Message, "cannot start any token"):
		e.Remedy = "indent with spaces, not tabs, and quote text that starts with a special character"
	case strings.Contains(e.Message, "unknown anchor"):
		e.Remedy = "put text that starts with * in quotes"
	}
	return e
}

var (
	unknownField = lazyregexp.New(`field (\S+) not found in type \w+\.(\w+)`)
	goType       = lazyregexp.New(` into \*?\w+\.\w+`)
)

// TypeErrors is yamlErrors for what was read into Go types, in the words of the file: unknown
// says of a key that a type, by its name, does not have which ones there are.
func TypeErrors(file string, err error, unknown func(key, of string) string) []*diag.Diagnostic {
	all := yamlErrors(file, err)
	for _, d := range all {
		text := unknownField.Get().ReplaceAllStringFunc(d.Message, func(found string) string {
			parts := unknownField.Get().FindStringSubmatch(found)
			return unknown(parts[1], parts[2])
		})
		d.Message = goType.Get().ReplaceAllString(text, "")
	}
	return all
}

// Keys are the keys of a struct in YAML.
func Keys(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		if k, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); k != "" {
			out = append(out, k)
		}
	}
	return out
}

// converter turns YAML nodes into Values, expanding aliases within a budget.
type converter struct {
	file string
	left int
}

func (c *converter) convert(n *yaml.Node, depth int) (Value, error) {
	v := Value{File: c.file, Line: n.Line + 1, Column: n.Column}
	if c.left--; c.left < 0 {
		return Value{}, v.Errorf("write the values out", "the header expands to more than %d values", maxNodes)
	}
	if depth > maxDepth {
		return Value{}, v.Errorf("flatten it", "the header is nested deeper than %d levels", maxDepth)
	}
	switch n.Kind {
	case yaml.AliasNode:
		if n.Alias == nil {
			return Value{}, v.Errorf("", "alias of nothing")
		}
		return c.convert(n.Alias, depth+1)
	case yaml.ScalarNode:
		return scalar(v, n)
	case yaml.SequenceNode:
		return c.list(v, n, depth)
	case yaml.MappingNode:
		return c.mapping(v, n, depth)
	}
	return Value{}, v.Errorf("", "unexpected YAML here")
}

func scalar(v Value, n *yaml.Node) (Value, error) {
	v.text = n.Value
	switch tag := n.ShortTag(); tag {
	case "!!null":
		v.Kind, v.text = Null, ""
	case "!!bool":
		v.Kind = Bool
	case "!!int", "!!float":
		v.Kind = Number
	case "!!str", "!!timestamp", "!!binary", "!!merge":
		v.Kind = String
	default:
		return Value{}, v.Errorf("leave the tag out", "YAML tag %q is not supported", tag)
	}
	return v, nil
}

func (c *converter) list(v Value, n *yaml.Node, depth int) (Value, error) {
	v.Kind = List
	for _, child := range n.Content {
		item, err := c.convert(child, depth+1)
		if err != nil {
			return Value{}, err
		}
		v.items = append(v.items, item)
	}
	return v, nil
}

func (c *converter) mapping(v Value, n *yaml.Node, depth int) (Value, error) {
	v.Kind = Map
	seen := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, err := c.convert(n.Content[i], depth+1)
		if err != nil {
			return Value{}, err
		}
		name, err := key.Text("a key")
		if err != nil {
			return Value{}, err
		}
		if n.Content[i].ShortTag() == "!!merge" {
			return Value{}, key.Errorf("write the keys out", "merge keys (<<) are not supported")
		}
		if line, twice := seen[name]; twice {
			return Value{}, key.Errorf("remove one of them", "key %q is given twice, first on line %d", name, line)
		}
		seen[name] = key.Line
		value, err := c.convert(n.Content[i+1], depth+1)
		if err != nil {
			return Value{}, err
		}
		v.entries = append(v.entries, Entry{Key: name, Line: key.Line, Column: key.Column, Value: value})
	}
	return v, nil
}

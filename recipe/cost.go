package recipe

import (
	"text/template"
	"text/template/parse"

	"github.com/hookline-dev/hookline/diag"
)

// maxCalls bounds how many templates one rendering may go through.
const maxCalls = 10_000

// checkCost refuses templates whose rendering might not end: arguments are
// text, so that range has nothing but numbers to go over, and templates that
// call each other can multiply without a limit.
func (r *Recipe) checkCost(t *template.Template) error {
	c := costs{recipe: r, set: t, known: make(map[string]int), open: make(map[string]bool)}
	for _, part := range t.Templates() {
		if _, err := c.of(part.Name()); err != nil {
			return err
		}
	}
	return nil
}

type costs struct {
	recipe *Recipe
	set    *template.Template
	known  map[string]int
	open   map[string]bool // templates being looked at: one that comes again is a circle
	tree   *parse.Tree
}

// of counts the templates that a rendering of name goes through.
func (c *costs) of(name string) (int, error) {
	if n, ok := c.known[name]; ok {
		return n, nil
	}
	t := c.set.Lookup(name)
	if t == nil || t.Tree == nil {
		return 1, nil // rendering will say that it is not defined
	}
	outer := c.tree
	c.open[name], c.tree = true, t.Tree
	n, err := c.list(t.Root)
	delete(c.open, name)
	c.tree = outer
	c.known[name] = n + 1
	return n + 1, err
}

func (c *costs) list(l *parse.ListNode) (int, error) {
	if l == nil {
		return 0, nil
	}
	total := 0
	for _, node := range l.Nodes {
		n, err := c.node(node)
		if err != nil {
			return 0, err
		}
		if total += n; total > maxCalls {
			return 0, c.fault(node, "the templates call each other too often", "call fewer")
		}
	}
	return total, nil
}

func (c *costs) node(n parse.Node) (int, error) {
	switch n := n.(type) {
	case *parse.IfNode:
		return c.branch(n.BranchNode)
	case *parse.WithNode:
		return c.branch(n.BranchNode)
	case *parse.RangeNode:
		return 0, c.fault(n, "range has nothing to go over: arguments are text", "write the lines out")
	case *parse.TemplateNode:
		if c.open[n.Name] {
			return 0, c.fault(n, "the template calls itself", "write it without recursion")
		}
		return c.of(n.Name)
	}
	return 0, nil
}

func (c *costs) branch(b parse.BranchNode) (int, error) {
	yes, err := c.list(b.List)
	if err != nil {
		return 0, err
	}
	no, err := c.list(b.ElseList)
	return yes + no, err
}

// fault makes an error at the place of a node.
func (c *costs) fault(n parse.Node, message, remedy string) *diag.Diagnostic {
	location, _ := c.tree.ErrorContext(n)
	e := c.recipe.templateError(&placeError{location})
	e.Message, e.Remedy = "template: "+message, remedy
	return e
}

// placeError has the form of the template package's errors.
type placeError struct{ location string }

func (e *placeError) Error() string { return "template: " + e.location + ": " }

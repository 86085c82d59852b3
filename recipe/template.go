package recipe

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

const templateName = "recipe"

// parseTemplate checks the body and finds out which arguments it mentions and
// which it can do without: those that it tests (if, with) or gives to default.
func (r *Recipe) parseTemplate() error {
	t, err := template.New(templateName).Option("missingkey=error").Funcs(functions(context.Background(), RenderOptions{})).Parse(r.Body)
	if err != nil {
		return r.templateError(err)
	}
	if err := r.checkCost(t); err != nil {
		return err
	}
	r.template = t
	u := usage{mentions: make(map[string]bool), optional: make(map[string]bool)}
	for _, part := range t.Templates() {
		if part.Tree != nil {
			u.list(part.Root)
		}
	}
	r.mentions, r.optional = u.mentions, u.optional
	return nil
}

var (
	templatePlace = lazyregexp.New(`^template: ` + templateName + `:(\d+)(?::(\d+))?: (?s:(.*))$`)
	startedAt     = lazyregexp.New(` started at ` + templateName + `:(\d+)`)
	missingKey    = lazyregexp.New(`map has no entry for key "([^"]*)"`)
)

// templateError places an error of the template package in the file.
func (r *Recipe) templateError(err error) *diag.Diagnostic {
	e := &diag.Diagnostic{Path: r.Path, Line: r.BodyLine, Message: "template: " + err.Error()}
	m := templatePlace.Get().FindStringSubmatch(err.Error())
	if m == nil {
		return e
	}
	text := m[3]
	line, _ := strconv.Atoi(m[1]) // digits, as matched
	if started := startedAt.Get().FindStringSubmatch(text); started != nil {
		line, _ = strconv.Atoi(started[1])
		text = startedAt.Get().ReplaceAllString(text, "")
	}
	e.Line = r.BodyLine + line - 1
	if m[2] != "" {
		column, _ := strconv.Atoi(m[2])
		e.Column = column + 1 // the template package counts from 0
	}
	e.Message = "template: " + strings.TrimPrefix(text, `executing "`+templateName+`" `)
	if strings.Contains(text, "function") && strings.Contains(text, "not defined") {
		e.Remedy = "use bash, default and the functions of Go templates"
	}
	return e
}

// need says whether a template can do without an argument.
type need int

const (
	required need = iota
	optional
)

// usage collects how a template uses its arguments.
type usage struct {
	mentions map[string]bool
	optional map[string]bool
}

func (u usage) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			u.pipe(n.Pipe, required)
		case *parse.IfNode:
			u.branch(n.BranchNode)
		case *parse.WithNode:
			u.branch(n.BranchNode)
		case *parse.TemplateNode:
			u.pipe(n.Pipe, required)
		}
	}
}

func (u usage) branch(b parse.BranchNode) {
	u.pipe(b.Pipe, optional)
	u.list(b.List)
	u.list(b.ElseList)
}

func (u usage) pipe(p *parse.PipeNode, as need) {
	if p == nil {
		return
	}
	for _, c := range p.Cmds {
		as := as // of this command alone
		if len(c.Args) > 0 {
			if f, ok := c.Args[0].(*parse.IdentifierNode); ok && f.Ident == "default" {
				as = optional
			}
		}
		for _, arg := range c.Args {
			u.arg(arg, as)
		}
	}
}

func (u usage) arg(n parse.Node, as need) {
	name := ""
	switch n := n.(type) {
	case *parse.FieldNode:
		name = n.Ident[0]
	case *parse.VariableNode: // $.name
		if n.Ident[0] == "$" && len(n.Ident) > 1 {
			name = n.Ident[1]
		}
	case *parse.PipeNode:
		u.pipe(n, as)
	case *parse.ChainNode:
		u.arg(n.Node, as)
	}
	if name == "" {
		return
	}
	u.mentions[name] = true
	if as == optional {
		u.optional[name] = true
	}
}

// execute renders the template.
func (r *Recipe) execute(ctx context.Context, o RenderOptions, data map[string]string) (string, error) {
	t, err := r.template.Clone()
	if err != nil {
		return "", r.templateError(err)
	}
	out := limited{ctx: ctx}
	err = t.Funcs(functions(ctx, o)).Execute(&out, data)
	switch {
	case err == nil:
		return out.b.String(), nil
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, errTooLong):
		return "", &diag.Diagnostic{Path: r.Path, Line: r.BodyLine, Message: errTooLong.Error(), Remedy: "make it shorter"}
	}
	place := r.templateError(err)
	if m := missingKey.Get().FindStringSubmatch(err.Error()); m != nil {
		return "", &missingArgumentError{Recipe: r.Name, Names: []string{m[1]}, Place: place.Position()}
	}
	return "", place
}

// maxRendered bounds a prompt, in bytes.
const maxRendered = 4 << 20

var errTooLong = errors.New("the recipe renders to more than 4 MiB")

// limited is a buffer that refuses to grow without end.
type limited struct {
	ctx context.Context // of the one rendering
	b   strings.Builder
}

func (l *limited) Write(p []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	if l.b.Len()+len(p) > maxRendered {
		return 0, errTooLong
	}
	return l.b.Write(p)
}

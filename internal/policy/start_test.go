package policy

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// TestPatternsAreCompiledWhenTheyAreNeeded: what is compiled at package level is paid for
// at the start of every command and of every program that embeds Hookline.
func TestPatternsAreCompiledWhenTheyAreNeeded(t *testing.T) {
	for _, dir := range packages(t) {
		set := token.NewFileSet()
		for _, f := range parsed(t, set, dir) {
			name := set.Position(f.Package).Filename
			if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "oracle") {
				continue
			}
			for _, d := range f.Decls {
				vars, ok := d.(*ast.GenDecl)
				if !ok || vars.Tok != token.VAR {
					continue
				}
				ast.Inspect(vars, func(n ast.Node) bool {
					if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "MustCompile" {
						t.Errorf("%s: use internal/lazyregexp", set.Position(sel.Pos()))
					}
					_, inside := n.(*ast.FuncLit)
					return !inside
				})
			}
		}
	}
}

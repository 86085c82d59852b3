package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestPatternsAreCompiledWhenTheyAreNeeded: what is compiled at package level is paid for
// at the start of every command and of every program that embeds Hookline.
func TestPatternsAreCompiledWhenTheyAreNeeded(t *testing.T) {
	for _, dir := range packages(t) {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "oracle") {
				continue
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, name, nil, 0)
			if err != nil {
				t.Fatal(err)
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

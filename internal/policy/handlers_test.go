package policy

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// kinds returns the packages of handlers, each with the types there that have a method
// Handle, and whether such a type has an Identity.
func kinds(t *testing.T) map[string]map[string]bool {
	t.Helper()
	out := map[string]map[string]bool{}
	for _, dir := range packages(t) {
		if !strings.HasPrefix(importPath(dir), module+"/handler/") {
			continue
		}
		methods := map[string]map[string]bool{}
		for _, f := range parsed(t, token.NewFileSet(), dir) {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Recv == nil {
					continue
				}
				recv := strings.TrimPrefix(typeText(fn.Recv.List[0].Type), "*")
				if methods[recv] == nil {
					methods[recv] = map[string]bool{}
				}
				methods[recv][fn.Name.Name] = true
			}
		}
		for recv, has := range methods {
			if has["Handle"] && ast.IsExported(recv) {
				if out[importPath(dir)] == nil {
					out[importPath(dir)] = map[string]bool{}
				}
				out[importPath(dir)][recv] = has["Identity"]
			}
		}
	}
	return out
}

func typeText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return "*" + typeText(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// TestEveryKindOfHandlerIsProvenAndHasAnIdentity: a kind without an identity runs twice where
// two files have the same hook, and one that no test puts to hooktest.TestKind may let a
// failure pass for consent.
func TestEveryKindOfHandlerIsProvenAndHasAnIdentity(t *testing.T) {
	proven := map[string]bool{}
	for _, dir := range packages(t) {
		for _, f := range parsed(t, token.NewFileSet(), dir) {
			if !callsTestKind(f) {
				continue
			}
			proven[importPath(dir)] = true
			for _, imp := range f.Imports {
				proven[strings.Trim(imp.Path.Value, `"`)] = true
			}
		}
	}
	alone := module + "/handler/script" // its functions are in no parallel group, where an identity counts
	all := kinds(t)
	if len(all) < 5 {
		t.Fatalf("only %d packages of handlers were found", len(all))
	}
	for path, types := range all {
		if !proven[path] {
			t.Errorf("no test puts %s to hooktest.TestKind: write one", path)
		}
		for name, identity := range types {
			if !identity && path != alone {
				t.Errorf("%s.%s is not a hook.Identifier: give it an Identity", path, name)
			}
		}
	}
}

func callsTestKind(f *ast.File) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "TestKind" && typeText(sel.X) == "hooktest" {
			found = true
		}
		return !found
	})
	return found
}

package policy

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// TestPublicNamesShowNoInternalTypes: an embedder cannot name such a type, nor make one.
func TestPublicNamesShowNoInternalTypes(t *testing.T) {
	for _, dir := range packages(t) {
		path := importPath(dir)
		if strings.Contains(path+"/", "/internal/") || strings.Contains(path, "/cmd/") {
			continue
		}
		fset := token.NewFileSet()
		for _, f := range parsed(t, fset, dir) {
			if strings.HasSuffix(fset.Position(f.Package).Filename, "_test.go") {
				continue
			}
			internal := map[string]bool{}
			for _, im := range f.Imports {
				to, _ := strconv.Unquote(im.Path.Value)
				if !strings.Contains(to, "/internal/") {
					continue
				}
				internal[to[strings.LastIndexByte(to, '/')+1:]] = true
				if im.Name != nil {
					internal[im.Name.Name] = true
				}
			}
			for _, d := range f.Decls {
				for _, n := range publicParts(d) {
					ast.Inspect(n, func(n ast.Node) bool {
						if sel, ok := n.(*ast.SelectorExpr); ok {
							if id, ok := sel.X.(*ast.Ident); ok && internal[id.Name] {
								t.Errorf("%s shows %s.%s", fset.Position(sel.Pos()), id.Name, sel.Sel.Name)
							}
						}
						return true
					})
				}
			}
		}
	}
}

// publicParts are the types that an exported declaration shows.
func publicParts(d ast.Decl) (parts []ast.Node) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d.Recv.List[0].Type)) {
			parts = append(parts, d.Type)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				st, ok := s.Type.(*ast.StructType)
				switch {
				case !s.Name.IsExported():
				case !ok:
					parts = append(parts, s.Type)
				default:
					for _, f := range st.Fields.List {
						if len(f.Names) == 0 || f.Names[0].IsExported() {
							parts = append(parts, f.Type)
						}
					}
				}
			case *ast.ValueSpec:
				switch {
				case !s.Names[0].IsExported():
				case s.Type != nil:
					parts = append(parts, s.Type)
				default: // of which the type may come
					for _, v := range s.Values {
						parts = append(parts, v)
					}
				}
			}
		}
	}
	return parts
}

func exportedReceiver(e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}

package builtin

import (
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// jqFunctions are those in which gojq and all versions of jq agree. What runs through the
// values of an object is not among them: gojq keeps no order of keys.
var jqFunctions = []string{
	"empty", "not", "select", "type", "length", "has", "startswith", "endswith", "ascii_downcase", "ascii_upcase", "true", "false", "null", "env", "$ENV",
}

// jqOperators likewise. Arithmetic is another one in gojq, which has integers of any size.
var jqOperators = []gojq.Operator{0, gojq.OpPipe, gojq.OpComma, gojq.OpEq, gojq.OpNe, gojq.OpAnd, gojq.OpOr, gojq.OpAlt}

// sureQuery reports whether a filter has nothing in which gojq is another language than jq.
func sureQuery(q *gojq.Query, names []string) bool {
	if q == nil {
		return true
	}
	return q.Meta == nil && len(q.Imports)+len(q.FuncDefs)+len(q.Patterns) == 0 && slices.Contains(jqOperators, q.Op) &&
		sureQuery(q.Left, names) && sureQuery(q.Right, names) && sureTerm(q.Term, names)
}

func sureTerm(t *gojq.Term, names []string) bool {
	if t == nil {
		return true
	}
	sure := func(qs ...*gojq.Query) bool {
		return !slices.ContainsFunc(qs, func(q *gojq.Query) bool { return !sureQuery(q, names) })
	}
	for _, s := range t.SuffixList {
		if s.Iter || s.Index != nil && !sureIndex(s.Index) {
			return false
		}
	}
	switch t.Type {
	case gojq.TermTypeIdentity, gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse:
		return true
	case gojq.TermTypeNumber:
		return len(t.Number) < 16 && strings.Trim(t.Number, "0123456789") == ""
	case gojq.TermTypeIndex:
		return sureIndex(t.Index)
	case gojq.TermTypeString:
		return len(t.Str.Queries) == 0
	case gojq.TermTypeFunc:
		return (slices.Contains(jqFunctions, t.Func.Name) || slices.Contains(names, t.Func.Name)) && sure(t.Func.Args...)
	case gojq.TermTypeArray:
		return sure(t.Array.Query)
	case gojq.TermTypeQuery:
		return sure(t.Query)
	case gojq.TermTypeObject:
		return !slices.ContainsFunc(t.Object.KeyVals, func(kv *gojq.ObjectKeyVal) bool {
			return kv.KeyQuery != nil || kv.KeyString != nil && len(kv.KeyString.Queries) > 0 || kv.Key != "" && kv.Key[0] == '$' || !sure(kv.Val)
		})
	case gojq.TermTypeIf:
		return len(t.If.Elif) == 0 && t.If.Else != nil && sure(t.If.Cond, t.If.Then, t.If.Else)
	}
	return false
}

// sureIndex takes .name and ."name"; .[0] of a string is an error in jq only.
func sureIndex(i *gojq.Index) bool {
	return !i.IsSlice && i.Start == nil && (i.Str == nil || len(i.Str.Queries) == 0)
}

// wholeNumbers reports whether all numbers in a value are whole and not large. Others are
// printed by each version of jq in a way of its own.
func wholeNumbers(v any) bool {
	switch v := v.(type) {
	case nil, bool, string:
		return true
	case int:
		return -1<<53 < v && v < 1<<53
	case []any:
		return !slices.ContainsFunc(v, func(v any) bool { return !wholeNumbers(v) })
	case map[string]any:
		for _, inner := range v {
			if !wholeNumbers(inner) {
				return false
			}
		}
		return true
	}
	return false
}

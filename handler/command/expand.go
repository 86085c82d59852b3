package command

import (
	"slices"
	"strings"
)

// Expand replaces ${NAME} by its value, as the exec form does in the program and in
// each argument. Values are not looked at again. Names without a value stay and are
// added to unknown.
func Expand(s string, vars map[string]string, unknown *[]string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(s, "${")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, rest, closed := strings.Cut(after, "}")
		if !closed || !isName(name) {
			out.WriteString("${")
			s = after
			continue
		}
		if value, ok := vars[name]; ok {
			out.WriteString(value)
		} else {
			out.WriteString("${" + name + "}")
			if !slices.Contains(*unknown, name) {
				*unknown = append(*unknown, name)
			}
		}
		s = rest
	}
}

// isName reports whether s can be a placeholder: letters, digits, underscores,
// and dots as in user_config.key.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '_', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case i > 0 && (c == '.' || c == '-' || '0' <= c && c <= '9'):
		default:
			return false
		}
	}
	return s != ""
}

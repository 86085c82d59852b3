package builtinsh

import "strings"

// readFields splits a line for n names as read does: the last name gets the rest.
func readFields(ifs, line string, n int, raw bool) []string {
	text, escaped := unescapeLine(line, raw)
	space := func(i int) bool {
		return !escaped[i] && strings.IndexByte(" \t\n", text[i]) >= 0 && strings.IndexByte(ifs, text[i]) >= 0
	}
	delim := func(i int) bool { return !escaped[i] && strings.IndexByte(ifs, text[i]) >= 0 }
	start, end := 0, len(text)
	for start < end && space(start) {
		start++
	}
	var out []string
	i := start
	for len(out) < n-1 && i < end {
		from := i
		for i < end && !delim(i) {
			i++
		}
		out = append(out, string(text[from:i]))
		i = pastDelimiter(i, end, space, delim)
	}
	if i >= end || len(out) >= n {
		return out
	}
	// The rest is one field when it has at most one delimiter, at its end.
	for end > i && space(end-1) {
		end--
	}
	first := i
	for first < end && !delim(first) {
		first++
	}
	if first < end && pastDelimiter(first, end, space, delim) == end {
		end = first
	}
	return append(out, string(text[i:end]))
}

// pastDelimiter returns where the next field begins: beyond one delimiter and the
// blanks around it.
func pastDelimiter(i, end int, space, delim func(int) bool) int {
	for i < end && space(i) {
		i++
	}
	if i < end && delim(i) && !space(i) {
		i++
		for i < end && space(i) {
			i++
		}
	}
	return i
}

// unescapeLine removes the backslashes of a line and marks what they protect.
func unescapeLine(line string, raw bool) (text []byte, escaped []bool) {
	text, escaped = make([]byte, 0, len(line)), make([]bool, 0, len(line))
	for i := 0; i < len(line); i++ {
		protect := !raw && line[i] == '\\'
		if protect {
			if i++; i == len(line) {
				break
			}
		}
		text, escaped = append(text, line[i]), append(escaped, protect)
	}
	return text, escaped
}

// Package nearest finds the name that somebody probably meant.
package nearest

import "strings"

// Name returns the known name that is closest in spelling to one that is not known, as
// Spelling does, or else one that begins with it, "" when there is none.
func Name(name string, known []string) string {
	name = strings.ToLower(name)
	if best := Spelling(name, known); best != "" || len(name) < 4 {
		return best
	}
	for _, k := range known { // the first that goes on from there
		if strings.HasPrefix(strings.ToLower(k), name) {
			return k
		}
	}
	return ""
}

// Spelling returns the known name that is closest in spelling to one that is not known, ""
// when none is close: a few letters may differ, more of them in longer names. Letter case
// does not count.
func Spelling(name string, known []string) string {
	name = strings.ToLower(name)
	best, bestDistance := "", 1+(len(name)+1)/4
	for _, k := range known {
		if d := distance(name, strings.ToLower(k)); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// distance is how many letters have to be changed, added or left out; long names are cut.
func distance(a, b string) int {
	a, b = a[:min(len(a), 40)], b[:min(len(b), 40)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

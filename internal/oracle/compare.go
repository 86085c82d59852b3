package oracle

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Declared is a difference that stays, and why.
type Declared struct {
	// Cases and Fact say where, * stands for anything; "" is all cases. Several patterns
	// have a comma and a blank between them.
	Cases, Fact string
	// What is different, in a few words, and Reason.
	What, Reason string
}

// Difference is a fact that is not the same: Theirs is the real program's.
type Difference struct {
	Fact, Theirs, Ours string
	// Declared is the declaration that covers it, nil for none.
	Declared *Declared
}

// Compare returns what is different in a case, in the order of the facts' names.
func Compare(name string, theirs, ours Facts, declared []Declared) []Difference {
	facts := maps.Clone(theirs)
	maps.Copy(facts, ours)
	var out []Difference
	for _, fact := range slices.Sorted(maps.Keys(facts)) {
		if theirs[fact] == ours[fact] {
			continue
		}
		d := Difference{Fact: fact, Theirs: theirs[fact], Ours: ours[fact]}
		for i := range declared {
			if matches(declared[i].Cases, name) && matches(declared[i].Fact, fact) {
				d.Declared = &declared[i]
				break
			}
		}
		out = append(out, d)
	}
	return out
}

// matches reports whether one of the patterns with * fits a name.
func matches(patterns, name string) bool {
	return patterns == "" || slices.ContainsFunc(strings.Split(patterns, ", "), func(p string) bool { return matchesOne(p, name) })
}

func matchesOne(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("(?s)^" + strings.Join(parts, ".*") + "$").MatchString(name)
}

// Counts are the cells of a table.
type Counts struct {
	Same, Declared, Undeclared int
	// used are the declarations that a difference needed.
	used map[*Declared]bool
}

// Cells is how many were played.
func (c *Counts) Cells() int { return c.Same + c.Declared + c.Undeclared }

// Add counts a case by its differences.
func (c *Counts) Add(diffs []Difference) {
	open := slices.ContainsFunc(diffs, func(d Difference) bool { return d.Declared == nil })
	switch {
	case len(diffs) == 0:
		c.Same++
	case open:
		c.Undeclared++
	default:
		c.Declared++
	}
	if c.used == nil {
		c.used = map[*Declared]bool{}
	}
	for _, d := range diffs {
		if d.Declared != nil {
			c.used[d.Declared] = true
		}
	}
}

// Unused returns the declarations that no difference needed.
func (c *Counts) Unused(declared []Declared) []Declared {
	var out []Declared
	for i := range declared {
		if !c.used[&declared[i]] {
			out = append(out, declared[i])
		}
	}
	return out
}

func (c *Counts) String() string {
	return fmt.Sprintf("%d cells the same, %d with declared differences, %d with undeclared ones", c.Same, c.Declared, c.Undeclared)
}

func (d Difference) String() string {
	return fmt.Sprintf("%s\n    theirs %s\n    ours   %s", d.Fact, or(d.Theirs, "(nothing)"), or(d.Ours, "(nothing)"))
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

package trust

import "slices"

// Rules is the version of the rules that say which files an approval covers. By the
// first, these were the files that a hook names in words; the second adds what an
// interpreter could load besides, and what file patterns, loops, the working directory
// and the top of the repository lead to.
const Rules = 2

// earlier finds the approval by which a hook that is not approved by today's rules may
// run nevertheless: one by earlier rules, of which nothing changed that these covered. It
// returns the files that are only covered today. What the earlier rules would have noticed,
// such as a file that took the place of an installed module, ends the approval as it did then.
func (v *view) earlier(a Artifact, st State) (b *Approval, newly []string) {
	if base := v.base(a, st); base == nil || base.Rules >= Rules {
		return nil, nil
	}
	first := a
	first.Trees, first.First = nil, nil
	if a.First != nil {
		first.Files = a.First()
	}
	was, err := readState(first)
	if err != nil {
		return nil, nil
	}
	if b = v.approval(was.Root, was.Digest); b == nil || b.Rules >= Rules {
		return nil, nil
	}
	for _, f := range st.Files {
		if !slices.ContainsFunc(was.Files, func(w FileState) bool { return w.Path == f.Path }) {
			newly = append(newly, f.Path)
		}
	}
	return b, newly
}

package plugin

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

const maxLinks = 40 // links followed for one path, as kernels do

// resolver replaces the links of a source by what they point to.
type resolver struct {
	name   string
	index  map[string]entry
	sorted []string
	limits Limits
	keep   func(string) bool

	out   []placed
	tally tally
}

func (r *resolver) refuse(path, format string, args ...any) error {
	return &RefusedError{Plugin: r.name, Path: path, Reason: fmt.Sprintf(format, args...)}
}

func (r *resolver) resolve() ([]placed, error) {
	r.tally = tally{name: r.name, limits: r.limits}
	for _, p := range r.sorted {
		e := r.index[p]
		if e.kind == symlink {
			if err := r.follow(p, e); err != nil {
				return nil, err
			}
			continue
		}
		if err := r.put(p, e); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(r.out, func(a, b placed) int { return cmp.Compare(a.path, b.path) })
	return r.out, nil
}

func (r *resolver) put(at string, e entry) error {
	if !r.keep(at) {
		return nil
	}
	r.out = append(r.out, placed{path: at, from: e})
	r.tally.files++
	r.tally.bytes += e.size
	return r.tally.check(at)
}

// follow puts what the link at p points to. Every link is checked, kept or not.
func (r *resolver) follow(p string, e entry) error {
	target, err := r.target(p, path.Dir(p), e.target, 0)
	if err != nil {
		return err
	}
	if found, ok := r.index[target]; ok {
		return r.put(p, found)
	}
	return r.copyDir(p, p, target, nil)
}

// target gives the path, without links in it, of what a link points to.
func (r *resolver) target(link, dir, text string, depth int) (string, error) {
	if depth > maxLinks {
		return "", r.refuse(link, "it is a link that leads in a circle")
	}
	if text == "" || strings.ContainsAny(text, "\\\x00") || strings.HasPrefix(text, "/") || (len(text) > 1 && text[1] == ':') {
		return "", r.refuse(link, "it is a link out of the plugin, to %q", text)
	}
	at := dir
	for part := range strings.SplitSeq(text, "/") {
		switch part {
		case "", ".":
			continue
		case "..":
			if at == "." {
				return "", r.refuse(link, "it is a link out of the plugin, to %q", text)
			}
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, part)
		if e, ok := r.index[next]; ok && e.kind == symlink {
			resolved, err := r.target(link, path.Dir(next), e.target, depth+1)
			if err != nil {
				return "", err
			}
			next = resolved
		}
		at = next
	}
	if _, ok := r.index[at]; !ok && len(r.below(at)) == 0 {
		return "", r.refuse(link, "it is a link to %q, which is not in the plugin", text)
	}
	return at, nil
}

// below gives the paths in a directory and its directories.
func (r *resolver) below(dir string) []string {
	if dir == "." {
		return r.sorted
	}
	prefix := dir + "/"
	from, _ := slices.BinarySearch(r.sorted, prefix)
	to := from
	for to < len(r.sorted) && strings.HasPrefix(r.sorted[to], prefix) {
		to++
	}
	return r.sorted[from:to]
}

// copyDir puts everything of a directory that a link points to. inside are the
// directories being copied already: one that comes again is a circle.
func (r *resolver) copyDir(link, at, dir string, inside []string) error {
	if slices.Contains(inside, dir) || dir == "." || strings.HasPrefix(link+"/", dir+"/") {
		return r.refuse(link, "it is a link to a directory that it is in itself")
	}
	inside = append(inside[:len(inside):len(inside)], dir)
	if len(inside) > maxLinks {
		return r.refuse(link, "it leads through too many links")
	}
	for _, p := range r.below(dir) {
		to := at + strings.TrimPrefix(p, dir)
		e := r.index[p]
		if e.kind != symlink {
			if err := r.put(to, e); err != nil {
				return err
			}
			continue
		}
		target, err := r.target(p, path.Dir(p), e.target, 0)
		if err != nil {
			return err
		}
		if found, ok := r.index[target]; ok {
			err = r.put(to, found)
		} else {
			err = r.copyDir(p, to, target, inside)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

package session

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// BranchEntries returns the entries from the root to an entry, "" for the leaf.
// Entries beside the tree are not among them.
func (s *Session) BranchEntries(id string) ([]Entry, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	at := s.leaf
	if id != "" {
		var err error
		if at, err = s.findNode(id); err != nil {
			return nil, err
		}
	}
	return s.loadAll(s.branch(at))
}

// branch lists the nodes from the root to a node.
func (s *Session) branch(at int32) []int32 {
	var out []int32
	for i := at; i >= 0; i = s.nodes[i].parent {
		if s.nodes[i].tree {
			out = append(out, i)
		}
	}
	slices.Reverse(out)
	return out
}

func (s *Session) loadAll(nodes []int32) ([]Entry, error) {
	out := make([]Entry, 0, len(nodes))
	for _, i := range nodes {
		e, err := s.load(i)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// Children returns the ids of the entries below an entry, oldest first; "" asks
// for the roots.
func (s *Session) Children(id string) ([]string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	at := int32(-1)
	if id != "" {
		var err error
		if at, err = s.findNode(id); err != nil {
			return nil, err
		}
	}
	var out []string
	for _, n := range s.nodes {
		if n.tree && n.parent == at {
			out = append(out, n.id)
		}
	}
	return out, nil
}

// CommonAncestor returns the last entry that the branches of two entries share,
// "" when they share none. An empty id stands for before the first entry.
func (s *Session) CommonAncestor(a, b string) (string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	seen := map[int32]bool{}
	for k, id := range []string{a, b} {
		at := int32(-1)
		if id != "" {
			var err error
			if at, err = s.findNode(id); err != nil {
				return "", err
			}
		}
		for i := at; i >= 0; i = s.nodes[i].parent {
			if k == 1 && seen[i] {
				return s.nodes[i].id, nil
			}
			seen[i] = true
		}
	}
	return "", nil
}

// Summary is what is kept of a branch that is left.
type Summary struct {
	Text     string
	Details  jsontext.Value
	FromHook bool
}

// Navigate moves the leaf to an entry, "" for before the first. With a summary,
// a branch_summary entry below the target records what was left and becomes the
// leaf; it is returned. The move is one line either way.
func (s *Session) Navigate(target string, summary *Summary) (Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.writable(); err != nil {
		return Entry{}, err
	}
	at := int32(-1)
	if target != "" {
		var err error
		if at, err = s.findNode(target); err != nil {
			return Entry{}, err
		}
	}
	if summary == nil {
		return s.append(Entry{Type: Leaf, TargetID: target}, s.leaf)
	}
	return s.append(Entry{
		Type: BranchSummary, FromID: s.idOf(s.leaf), Summary: summary.Text, Details: summary.Details, FromHook: summary.FromHook,
	}, at)
}

// Label names an entry; an empty label takes the name away.
func (s *Session) Label(id, label string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.writable(); err != nil {
		return err
	}
	if _, err := s.find(id); err != nil {
		return err
	}
	_, err := s.append(Entry{Type: Label, TargetID: id, Label: label}, s.leaf)
	return err
}

// LabelOf returns the name of an entry, "" when it has none.
func (s *Session) LabelOf(id string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.labels[id]
}

// SetTitle names the session; an empty title takes the name away.
func (s *Session) SetTitle(title string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.writable(); err != nil {
		return err
	}
	_, err := s.append(Entry{Type: Title, Text: title}, s.leaf)
	return err
}

// Title returns the session's name, "" when it has none.
func (s *Session) Title() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.title
}

// LastModel returns the last model_change on the branch to the leaf; ok is false
// when there is none.
func (s *Session) LastModel() (e Entry, ok bool, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i := s.leaf; i >= 0; i = s.nodes[i].parent {
		if s.types[s.nodes[i].typ] == ModelChange {
			e, err = s.load(i)
			return e, err == nil, err
		}
	}
	return Entry{}, false, nil
}

// copyTo returns the lines of the branch to an entry, the labels on it and the title,
// for a new session.
func (s *Session) copyTo(id string) (lines [][]byte, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	at := int32(-1)
	if id != "" { // else it has no conversation yet
		if at, err = s.findNode(id); err != nil {
			return nil, err
		}
	}
	on := map[string]bool{}
	nodes := s.branch(at)
	for _, i := range nodes {
		line, err := s.raw(i)
		if err != nil {
			return nil, err
		}
		if line, err = withoutDelivery(line); err != nil {
			return nil, err
		}
		lines = append(lines, line)
		on[s.nodes[i].id] = true
	}
	for i, n := range s.nodes {
		if t := s.types[n.typ]; t != Label && t != Title {
			continue
		}
		e, err := s.load(int32(i))
		if err != nil {
			return nil, err
		}
		// It hung on what was the leaf then, which may not be copied.
		e.ParentID = e.TargetID
		if e.Type == Title {
			e.ParentID = id
		}
		if e.Type == Title && s.title == e.Text || e.Type == Label && s.labels[e.TargetID] == e.Label && on[e.TargetID] {
			line, err := encodeLine(e)
			if err != nil {
				return nil, err
			}
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// withoutDelivery takes the record of delivered context out of a line: the
// context itself stays behind in the session that it was meant for.
func withoutDelivery(line []byte) ([]byte, error) {
	e, err := decode(line)
	if err != nil || len(e.Consumed) == 0 {
		return line, err
	}
	e.Consumed = nil
	out, err := encodeLine(e)
	if err != nil {
		return nil, fmt.Errorf("copying entry %s: %w", e.ID, err)
	}
	return out, nil
}

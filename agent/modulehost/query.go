package modulehost

import (
	"fmt"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

// SessionQuery answers a read-only method of sessionManager.
func (h *Host) SessionQuery(method string, args []byte) ([]byte, error) {
	a, err := h.agent()
	if err != nil {
		return nil, nil
	}
	s := a.Session()
	id, err := firstText(args)
	if err != nil {
		return nil, fmt.Errorf("sessionManager.%s: %w", method, err)
	}
	switch method {
	case "getSessionId":
		return encode(s.ID())
	case "getSessionFile":
		if s.Path() == "" {
			return nil, nil
		}
		return encode(s.Path())
	case "getSessionDir":
		if s.Path() == "" {
			return encode("")
		}
		return encode(filepath.Dir(s.Path()))
	case "getSessionName":
		if a.Title() == "" {
			return nil, nil
		}
		return encode(a.Title())
	case "getHeader":
		return encode(s.Header())
	case "getLeafId":
		if s.Leaf() == "" {
			return []byte("null"), nil
		}
		return encode(s.Leaf())
	case "getLeafEntry":
		return entry(s, s.Leaf())
	case "getEntry":
		return entry(s, id)
	case "getLabel":
		if s.LabelOf(id) == "" {
			return nil, nil
		}
		return encode(s.LabelOf(id))
	}
	return lists(a, s, method, id)
}

// lists answers the methods that return lists.
func lists(a *agent.Agent, s *session.Session, method, id string) ([]byte, error) {
	switch method {
	case "getEntries":
		var out []session.Entry
		for e, err := range s.Entries() {
			if err != nil {
				return nil, err
			}
			out = append(out, e)
		}
		return entries(out)
	case "getBranch":
		branch, err := s.BranchEntries(id)
		if err != nil {
			return nil, err
		}
		return entries(branch)
	case "getChildren":
		ids, err := s.Children(id)
		if err != nil {
			return nil, err
		}
		var out []session.Entry
		for _, child := range ids {
			e, err := s.Entry(child)
			if err != nil {
				return nil, err
			}
			out = append(out, e)
		}
		return entries(out)
	case "getTree":
		return tree(s)
	case "buildSessionContext":
		return encode(map[string]any{"messages": a.Live().Messages()})
	case "getUsageStatistics":
		u := a.Usage()
		return encode(map[string]int64{"input": u.InputTokens, "output": u.OutputTokens, "cacheRead": u.CacheReadTokens, "cacheWrite": u.CacheWriteTokens})
	}
	return nil, nil
}

func firstText(args []byte) (string, error) {
	var list []hook.JSON
	if err := json.Unmarshal(args, &list); err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", nil
	}
	s, _ := list[0].AsString()
	return s, nil
}

func entry(s *session.Session, id string) ([]byte, error) {
	e, err := s.Entry(id)
	if err != nil {
		return nil, nil // undefined, as for any entry that is not there
	}
	j, err := entryJSON(e)
	return []byte(j.Raw()), err
}

func entries(list []session.Entry) ([]byte, error) {
	out := make([]hook.JSON, 0, len(list))
	for _, e := range list {
		j, err := entryJSON(e)
		if err != nil {
			return nil, err
		}
		out = append(out, j)
	}
	return json.Marshal(out, hook.EncodeOptions())
}

// entryJSON encodes an entry, whose payloads are carried as they are.
func entryJSON(e session.Entry) (hook.JSON, error) {
	b, err := json.Marshal(e, hook.EncodeOptions())
	return hook.RawJSON(b), err
}

// treeNode is an entry with what hangs on it.
type treeNode struct {
	Entry    hook.JSON   `json:"entry"`
	Children []*treeNode `json:"children"`
	Label    string      `json:"label,omitzero"`
}

// tree returns the roots of the session. An entry comes after its parent, so that
// one pass is enough.
func tree(s *session.Session) ([]byte, error) {
	byID := map[string]*treeNode{}
	roots := []*treeNode{}
	for e, err := range s.Entries() {
		if err != nil {
			return nil, err
		}
		switch e.Type {
		case session.Label, session.Title, session.Leaf, session.PendingContext, session.PendingConsumed:
			continue
		}
		j, err := entryJSON(e)
		if err != nil {
			return nil, err
		}
		n := &treeNode{Entry: j, Children: []*treeNode{}, Label: s.LabelOf(e.ID)}
		byID[e.ID] = n
		if parent := byID[e.ParentID]; parent != nil {
			parent.Children = append(parent.Children, n)
		} else {
			roots = append(roots, n)
		}
	}
	return json.Marshal(roots, hook.EncodeOptions())
}

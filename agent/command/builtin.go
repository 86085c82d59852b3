package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

// builtins are the commands that every agent has.
func (s *Set) builtins() []Command {
	list := []struct {
		name, description string
		run               func(ctx context.Context, args string) (Reply, error)
	}{
		{"help", "list the commands", s.help},
		{"compact", "summarise the conversation; text after it steers the summary", s.compact},
		{"clear", "go on in an empty session", func(ctx context.Context, _ string) (Reply, error) {
			cancelled, err := s.a.NewSession(ctx, agent.NewSessionOptions{Clear: true})
			return done(cancelled, err, "The session is empty.")
		}},
		{"new", "begin another session", func(ctx context.Context, _ string) (Reply, error) {
			cancelled, err := s.a.NewSession(ctx, agent.NewSessionOptions{})
			return done(cancelled, err, "This is a new session.")
		}},
		{"resume", "list sessions, or go on with one: /resume ID or FILE", s.Resume},
		{"branch", "go on in a new session from an entry: /branch ID, without one from here", func(ctx context.Context, args string) (Reply, error) {
			cancelled, err := s.a.Branch(ctx, args)
			return done(cancelled, err, "This is the branch, a session of its own.")
		}},
		{"tree", "list the entries of the session, or move to one: /tree ID [summary], or before it: /tree ID before", s.tree},
		{"model", "show the model, or change it: /model PROVIDER/NAME", s.model},
		{"add-dir", "let the agent work in a further directory: /add-dir PATH", s.addDir},
		{"hooks", "list the hooks", s.hooks},
		{"cost", "show what the session has used", s.cost},
		{"quit", "end", func(context.Context, string) (Reply, error) { return Reply{Quit: true}, nil }},
	}
	out := make([]Command, 0, len(list)+1)
	for _, c := range list {
		out = append(out, Command{Name: c.name, Description: c.description, Source: "built-in", Run: c.run})
	}
	exit := out[len(out)-1]
	exit.Name = "exit"
	return append(out, exit)
}

// done words the outcome of a session operation.
func done(cancelled bool, err error, text string) (Reply, error) {
	switch {
	case err != nil:
		return Reply{}, err
	case cancelled:
		return Reply{Blocked: true, Output: "A hook cancelled it; all is as it was."}, nil
	}
	return Reply{Output: text}, nil
}

func (s *Set) help(ctx context.Context, _ string) (Reply, error) {
	list, err := s.List(ctx)
	if err != nil {
		return Reply{}, err
	}
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "/%-12s %s", c.Name, c.Description)
		if c.Source != "built-in" {
			fmt.Fprintf(&b, " (%s)", c.Source)
		}
		b.WriteByte('\n')
	}
	b.WriteString("!COMMAND      run a shell command; !!COMMAND does it without telling the model\n")
	return Reply{Output: b.String()}, nil
}

func (s *Set) compact(ctx context.Context, args string) (Reply, error) {
	refused, err := s.a.Compact(ctx, args)
	switch {
	case errors.Is(err, agent.ErrNothingToCompact):
		return Reply{Output: "There is nothing to compact yet."}, nil
	case refused != "":
		return Reply{Blocked: true, Output: "Compaction blocked by PreCompact hook: " + refused}, nil
	case err != nil:
		return Reply{Happened: true}, err
	}
	return Reply{Output: "The conversation is compacted.", Happened: true}, nil
}

// Resume goes on with the session of an id or a file, as /resume does; without one it lists them.
func (s *Set) Resume(ctx context.Context, id string) (Reply, error) {
	if s.opts.SessionDir == "" {
		return Reply{}, errors.New("sessions are not kept here")
	}
	if id != "" {
		info, err := session.Find(s.opts.SessionDir, id)
		if err != nil {
			return Reply{}, err
		}
		if info.ID == s.a.SessionID() {
			return Reply{Output: "This is that session already."}, nil
		}
		cancelled, err := s.a.Resume(ctx, info.Path)
		return done(cancelled, err, "This is session "+info.ID+".")
	}
	list, err := s.Sessions()
	if err != nil {
		return Reply{}, err
	}
	var b strings.Builder
	for _, info := range list {
		fmt.Fprintf(&b, "%s  %s  %s\n", info.ID, info.Modified.Format(time.DateTime), info.First)
	}
	if len(list) == 0 {
		b.WriteString("There is no session yet.")
	}
	return Reply{Output: b.String()}, nil
}

// Sessions lists those of the directory that /resume goes on with, the last one first.
func (s *Set) Sessions() ([]session.Info, error) {
	if s.opts.SessionDir == "" {
		return nil, errors.New("sessions are not kept here")
	}
	return session.List(s.opts.SessionDir, s.opts.Dir)
}

// maxPreview is how much of an entry /tree shows, in characters.
const maxPreview = 70

func (s *Set) tree(ctx context.Context, args string) (Reply, error) {
	if id, how, _ := strings.Cut(args, " "); id != "" {
		how = strings.TrimSpace(how)
		cancelled, err := s.a.Navigate(ctx, id, agent.NavigateOptions{Summarise: how == "summary", Before: how == "before"})
		return done(cancelled, err, "The conversation goes on from "+id+".")
	}
	list, err := s.Tree()
	if err != nil {
		return Reply{}, err
	}
	var b strings.Builder
	for _, it := range list {
		mark := " "
		if it.Current {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %s%s  %s\n", mark, strings.Repeat("  ", it.Depth), it.ID, it.Preview)
	}
	if b.Len() == 0 {
		b.WriteString("The session is empty.")
	}
	return Reply{Output: b.String()}, nil
}

// TreeItem is an entry of the session as /tree shows it.
type TreeItem struct {
	ID string
	// Depth counts the forks above it, and Current says that the conversation goes on there.
	Depth   int
	Current bool
	// Preview is its beginning in one line, with its label.
	Preview string
	// Prompt is what the person wrote, when it is that.
	Prompt string
}

// Tree lists the entries that /tree may move to, in the order in which they came.
func (s *Set) Tree() ([]TreeItem, error) {
	sess := s.a.Session()
	depth, leaf := map[string]int{}, sess.Leaf()
	var out []TreeItem
	for e, err := range sess.Entries() {
		if err != nil {
			return nil, err
		}
		switch e.Type {
		case session.Label, session.Title, session.Leaf, session.PendingContext, session.PendingConsumed:
			continue
		}
		siblings, err := sess.Children(e.ParentID)
		if err != nil {
			return nil, err
		}
		depth[e.ID] = depth[e.ParentID]
		if len(siblings) > 1 {
			depth[e.ID]++
		}
		it := TreeItem{ID: e.ID, Depth: depth[e.ID], Current: e.ID == leaf, Preview: preview(e, sess.LabelOf(e.ID))}
		if role, text := roleAndText(e); role == "user" {
			it.Prompt = text
		}
		out = append(out, it)
	}
	return out, nil
}

// roleAndText is who said what in a message, "" for other entries.
func roleAndText(e session.Entry) (role, text string) {
	if e.Type != session.Message {
		return "", ""
	}
	m := hook.RawJSON(e.Message)
	content, _ := m.Get("content")
	return m.String("role"), hook.Message{Content: content}.Text()
}

// words is a message in one line: what was said, or else the calls of tools and what came
// of them.
func words(e session.Entry) string {
	role, text := roleAndText(e)
	var m model.Message
	if text != "" || json.Unmarshal(e.Message, &m) != nil {
		return role + ": " + text
	}
	var parts []string
	for i := range m.Content {
		switch c := &m.Content[i]; c.Type {
		case model.ToolUseBlock:
			parts = append(parts, "calls "+c.Name+" "+c.InputText())
		case model.ToolResultBlock:
			parts = append(parts, "result: "+c.ResultText())
		}
	}
	return strings.Join(parts, ", ")
}

func preview(e session.Entry, label string) string {
	text := string(e.Type)
	switch e.Type {
	case session.Message:
		text = words(e)
	case session.Compaction, session.BranchSummary:
		text += ": " + e.Summary
	case session.CustomMessage, session.Custom:
		text += ": " + e.CustomType
	}
	if label != "" {
		text = "[" + label + "] " + text
	}
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > maxPreview {
		text = string(r[:maxPreview-1]) + "…"
	}
	return text
}

func (s *Set) model(ctx context.Context, name string) (Reply, error) {
	if name == "" {
		return Reply{Output: s.a.Model()}, nil
	}
	why, err := s.a.SetModel(ctx, name, "command")
	if err != nil {
		return Reply{}, err
	}
	if why != "" {
		return Reply{Blocked: true, Output: "The model stays: " + why}, nil
	}
	return Reply{Output: "The model is " + s.a.Model() + "."}, nil
}

func (s *Set) addDir(ctx context.Context, dir string) (Reply, error) {
	switch {
	case s.opts.AddDir == nil:
		return Reply{}, errors.New("directories can't be added here")
	case dir == "":
		return Reply{}, errors.New("which directory? write /add-dir PATH")
	case !filepath.IsAbs(dir):
		dir = filepath.Join(s.a.Dir(), dir)
	}
	if err := s.opts.AddDir(ctx, dir); err != nil {
		return Reply{}, err
	}
	return Reply{Output: "The agent may work in " + dir + "."}, s.a.DirectoryAdded(ctx, dir, "slash_command")
}

func (s *Set) hooks(context.Context, string) (Reply, error) {
	if s.opts.Hooks == nil {
		return Reply{Output: "There are no hooks."}, nil
	}
	var b strings.Builder
	for _, h := range s.opts.Hooks() {
		fmt.Fprintf(&b, "%-20s %-24s %s\n", h.Event, h.Name, h.Source)
	}
	if b.Len() == 0 {
		b.WriteString("There are no hooks.")
	}
	return Reply{Output: b.String()}, nil
}

func (s *Set) cost(context.Context, string) (Reply, error) {
	u := s.a.Usage()
	return Reply{Output: fmt.Sprintf("%d tokens in, %d out, %d read from the cache, %d written to it; the conversation takes about %d.",
		u.InputTokens, u.OutputTokens, u.CacheReadTokens, u.CacheWriteTokens, s.a.ContextTokens())}, nil
}

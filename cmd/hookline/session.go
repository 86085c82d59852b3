package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui/clean"
)

func newSessionCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "session", Aliases: []string{"sessions"}, Short: "List, show, export and remove sessions of the agent", Args: cobra.NoArgs,
		Example: "  hookline session list\n  hookline session show 0198f3a2\n  hookline session export 0198f3a2 > talk.jsonl\n  hookline session remove 0198f3a2",
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSessionListCmd(a), newSessionShowCmd(a), newSessionExportCmd(a), newSessionRemoveCmd(a))
	return cmd
}

// sessions returns the working directory and where sessions lie.
func (a *app) sessions() (cwd, dir string, err error) {
	cwd, err = a.workDir()
	return cwd, a.dirs(cwd).Sessions(), err
}

// findSession finds a session by its id, the beginning of one, or its file.
func (a *app) findSession(id string) (session.Info, error) {
	_, dir, err := a.sessions()
	if err != nil {
		return session.Info{}, err
	}
	return session.Find(dir, id)
}

// sessionItem is a session in a listing.
type sessionItem struct {
	ID       string    `json:"id"`
	Cwd      string    `json:"cwd"`
	Created  time.Time `json:"created"`
	Modified time.Time `json:"modified"`
	Size     int64     `json:"size"`
	First    string    `json:"first"`
	Path     string    `json:"path"`
}

// sessionListOptions are the flags of session list.
type sessionListOptions struct{ all, asJSON bool }

func newSessionListCmd(a *app) *cobra.Command {
	var o sessionListOptions
	cmd := &cobra.Command{
		Use: "list", Short: "List the sessions of this directory, the last one first", Args: cobra.NoArgs,
		Example: "  hookline session list --all",
		RunE:    func(*cobra.Command, []string) error { return runSessionList(a, o) },
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "list those of all directories")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

func runSessionList(a *app, o sessionListOptions) error {
	cwd, dir, err := a.sessions()
	if err != nil {
		return err
	}
	if o.all {
		cwd = ""
	}
	list, faults := session.List(dir, cwd)
	if faults != nil {
		a.warnf("warning: %s", clean.PlainText(faults.Error()))
	}
	items := []sessionItem{}
	var t table
	for _, s := range list {
		items = append(items, sessionItem{s.ID, s.Cwd, s.Created, s.Modified, s.Size, s.First, s.Path})
		cells := []string{s.ID, s.Modified.Local().Format(time.DateTime)}
		if o.all {
			cells = append(cells, s.Cwd)
		}
		t.row(append(cells, s.First)...)
	}
	if o.asJSON {
		return a.printJSON(items)
	}
	t.print(a.streams)
	return nil
}

func newSessionShowCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Print the conversation of a session, as its model has it", Args: cobra.ExactArgs(1),
		Example: "  hookline session show 0198f3a2",
		RunE:    func(_ *cobra.Command, args []string) error { return runSessionShow(a, args[0]) },
	}
}

func runSessionShow(a *app, id string) error {
	info, err := a.findSession(id)
	if err != nil {
		return err
	}
	s, err := session.Open(info.Path, session.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	for _, w := range s.Warnings() {
		a.warnf("warning: %s", line(w))
	}
	for _, f := range [][2]string{{"id", s.ID()}, {"title", s.Title()}, {"directory", info.Cwd}, {"file", info.Path}} {
		if f[1] != "" {
			a.warnf("%-12s %s", f[0], line(f[1]))
		}
	}
	items, err := s.Context()
	if err != nil {
		return err
	}
	for _, it := range items {
		var m model.Message
		if err := json.Unmarshal(it.Message, &m, hook.EncodeOptions()); err != nil {
			var text struct {
				Role, Content string
			}
			if err := json.Unmarshal(it.Message, &text, hook.EncodeOptions()); err != nil {
				return fmt.Errorf("entry %s of session %s: %w", it.EntryID, s.ID(), err)
			}
			m = model.Message{Role: model.Role(text.Role), Content: []model.Block{model.Text(text.Content)}}
		}
		for _, b := range m.Content {
			a.printBlock(m.Role, b)
		}
	}
	return nil
}

// printBlock prints a part of a message; what tools are given and return only begins.
func (a *app) printBlock(role model.Role, b model.Block) {
	switch b.Type {
	case model.TextBlock:
		a.printf("%s: %s\n", role, clean.PlainText(b.Text))
	case model.ToolUseBlock:
		a.printf("  %s %s\n", line(b.Name), firstLine(b.InputText()))
	case model.ToolResultBlock:
		a.printf("  -> %s\n", firstLine(b.ResultText()))
	}
}

func newSessionExportCmd(a *app) *cobra.Command {
	var raw bool
	cmd := &cobra.Command{
		Use: "export ID", Short: "Print the transcript of a session, one JSON object a line", Args: cobra.ExactArgs(1),
		Long:    "Print the transcript of a session in the shape that hooks get at transcript_path, one\nJSON object a line; or, with --raw, the session itself with all its branches.",
		Example: "  hookline session export 0198f3a2 > talk.jsonl",
		RunE:    func(_ *cobra.Command, args []string) error { return runSessionExport(a, args[0], raw) },
	}
	cmd.Flags().BoolVar(&raw, "raw", false, "print the session's own file")
	return cmd
}

func runSessionExport(a *app, id string, raw bool) error {
	info, err := a.findSession(id)
	if err != nil {
		return err
	}
	path := session.TranscriptPath(info.Path)
	if raw {
		path = info.Path
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) && !raw {
		return fmt.Errorf("session %s has no transcript; --raw prints the session itself", info.ID)
	}
	if err != nil {
		return fmt.Errorf("export session %s: %w", info.ID, err)
	}
	defer func() { _ = f.Close() }()
	if _, err := io.Copy(a.out, f); err != nil {
		return fmt.Errorf("export session %s: %w", info.ID, err)
	}
	return nil
}

func newSessionRemoveCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "remove ID…", Aliases: []string{"rm"}, Short: "Remove sessions with their transcripts", Args: cobra.MinimumNArgs(1),
		Example: "  hookline session remove 0198f3a2",
		RunE: func(_ *cobra.Command, ids []string) error {
			var errs []error
			for _, id := range ids {
				info, err := a.findSession(id)
				if err == nil {
					err = session.Remove(info.Path)
				}
				if err == nil {
					a.warnf("Removed the session %s.", info.ID)
				}
				errs = append(errs, err)
			}
			return errors.Join(errs...)
		},
	}
}

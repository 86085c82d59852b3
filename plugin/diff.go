package plugin

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

const (
	maxDiffed   = 256 << 10 // bytes of a file whose difference is shown as text
	maxDiffText = 8 << 20   // bytes of such text in one Diff
)

// Change says what happens to a file.
type Change string

// The changes.
const (
	Added   Change = "added"
	Removed Change = "removed"
	Changed Change = "changed"
)

// FileDiff is what happens to one file of a plugin.
type FileDiff struct {
	Path   string `json:"path"`
	Change Change `json:"change"`
	// Active says that the file can run: a program, anything in hooks/ or
	// tools/, or what declares hooks, before or after the change.
	Active        bool   `json:"active"`
	OldSHA256     string `json:"old_sha256,omitzero"`
	NewSHA256     string `json:"new_sha256,omitzero"`
	OldExecutable bool   `json:"old_executable,omitzero"`
	NewExecutable bool   `json:"new_executable,omitzero"`
	// Text is the difference in unified form. It is empty for files that are
	// large or not text; of a file that is added it is the whole content.
	Text string `json:"text,omitzero"`
}

// Diff is what an install or update is about to change.
type Diff struct {
	Name      string     `json:"name"`
	Location  Location   `json:"location"`
	Source    string     `json:"source"`
	Ref       string     `json:"ref,omitzero"`
	OldSource string     `json:"old_source,omitzero"` // when it was another one
	OldCommit string     `json:"old_commit,omitzero"`
	NewCommit string     `json:"new_commit,omitzero"`
	New       bool       `json:"new"`              // the plugin was not installed before
	TagMoved  bool       `json:"tag_moved"`        // the same tag stands for another commit now
	Modified  []string   `json:"modified"`         // files that somebody changed since they were installed
	Files     []FileDiff `json:"files"`            // sorted by path
	Granted   []string   `json:"granted,omitzero"` // as of [Plugin], afterwards
}

// needsApproval reports whether the change makes new or changed hooks active,
// overwrites files that somebody changed, or follows a tag that was moved.
func (d Diff) needsApproval() bool {
	return d.TagMoved || len(d.Modified) > 0 || len(d.Active()) > 0
}

// why says what there is to approve.
func (d Diff) why() string {
	var active, reasons []string
	for _, f := range d.Active() {
		active = append(active, f.Path)
	}
	if len(active) > 0 {
		reasons = append(reasons, "new or changed files that can run ("+some(active)+")")
	}
	if len(d.Modified) > 0 {
		reasons = append(reasons, "files changed on this machine would be overwritten ("+some(d.Modified)+")")
	}
	if d.TagMoved {
		reasons = append(reasons, "the tag "+d.Ref+" was moved")
	}
	return strings.Join(reasons, "; ")
}

// some names the first few of a list.
func some(names []string) string {
	const most = 4
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Active lists the files that can run and are new or changed.
func (d Diff) Active() []FileDiff {
	var list []FileDiff
	for _, f := range d.Files {
		if f.Active && f.Change != Removed {
			list = append(list, f)
		}
	}
	return list
}

// Summary gives "2 added, 1 changed, 0 removed".
func (d Diff) Summary() string {
	count := make(map[Change]int)
	for _, f := range d.Files {
		count[f.Change]++
	}
	return fmt.Sprintf("%d added, %d changed, %d removed", count[Added], count[Changed], count[Removed])
}

// diffTrees compares an installed plugin (oldDir may be missing) with a staged
// one. off are paths of hooks that are switched off in the old one.
func diffTrees(oldDir, newDir string, before, after []File, off []string) []FileDiff {
	olds := make(map[string]File, len(before))
	for _, f := range before {
		logical := strings.TrimSuffix(f.Path, disabledSuffix)
		if slices.Contains(off, logical) {
			olds[logical] = f
		} else {
			olds[f.Path] = f
		}
	}
	claude := slices.ContainsFunc(after, func(f File) bool {
		return f.Path == claudeManifest || f.Path == "hooks/"+claudeHooks
	})
	var diffs []FileDiff
	left := maxDiffText
	text := func(old File, path string, d FileDiff) string {
		if left <= 0 {
			return ""
		}
		t := textDiff(filepath.Join(oldDir, filepath.FromSlash(old.Path)), filepath.Join(newDir, filepath.FromSlash(path)), d)
		left -= len(t)
		return t
	}
	for _, f := range after {
		old, existed := olds[f.Path]
		delete(olds, f.Path)
		if existed && old.SHA256 == f.SHA256 && (old.Executable == f.Executable || !keepsExecutableBit) {
			continue
		}
		d := FileDiff{
			Path: f.Path, Change: Added, NewSHA256: f.SHA256, NewExecutable: f.Executable,
			Active: canRun(f, claude),
		}
		if existed {
			d.Change, d.OldSHA256, d.OldExecutable = Changed, old.SHA256, old.Executable
			d.Active = d.Active || canRun(old, claude)
		}
		d.Text = text(old, f.Path, d)
		diffs = append(diffs, d)
	}
	for _, p := range slices.Sorted(maps.Keys(olds)) {
		old := olds[p]
		d := FileDiff{Path: p, Change: Removed, OldSHA256: old.SHA256, OldExecutable: old.Executable, Active: canRun(old, claude)}
		d.Text = text(old, "", d)
		diffs = append(diffs, d)
	}
	slices.SortFunc(diffs, func(a, b FileDiff) int { return strings.Compare(a.Path, b.Path) })
	return diffs
}

// canRun reports whether a file can have an effect by being run. The scripts of
// a Claude Code plugin may be named by its hooks wherever they are.
func canRun(f File, claude bool) bool {
	if f.Executable || strings.HasPrefix(f.Path, "hooks/") || strings.HasPrefix(f.Path, "tools/") {
		return true
	}
	return claude && !strings.HasSuffix(f.Path, ".md") && !isNotice(f.Path)
}

// textDiff gives the unified difference of two files, or nothing when one of
// them is not text or too large.
func textDiff(oldPath, newPath string, d FileDiff) string {
	var before, after string
	var ok bool
	if d.Change != Added {
		if before, ok = readText(oldPath); !ok {
			return ""
		}
	}
	if d.Change != Removed {
		if after, ok = readText(newPath); !ok {
			return ""
		}
	}
	return udiff.Unified("old/"+d.Path, "new/"+d.Path, before, after)
}

func readText(path string) (string, bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock|openNoFollow, 0)
	if err != nil {
		return "", false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	data, err := io.ReadAll(io.LimitReader(f, maxDiffed+1))
	if err != nil || len(data) > maxDiffed || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return "", false
	}
	return string(data), true
}

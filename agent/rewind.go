package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/hookline-dev/hookline/agent/tool"
)

// Rewound is what became of files.
type Rewound struct {
	// Files changed, or would; Insertions and Deletions are in lines, of all.
	Files                 []string
	Insertions, Deletions int
	// Links is how many files stayed as they are because a link leads to them now.
	Links int
}

// RewindFiles takes files back to what they held when an entry of the session had just been
// added, as far as Write and Edit have changed them since; with dry it only says what it
// would do. A file that can't be taken back stays, and the error names it; the others are
// taken back. It is ErrBusy while a prompt is worked on.
func (a *Agent) RewindFiles(ctx context.Context, entryID string, dry bool) (out Rewound, err error) {
	if a.cfg.Restore == nil {
		return out, errors.New("files can't be taken back here")
	}
	if err := a.holder.take(); err != nil {
		return out, err
	}
	defer a.holder.release()
	list, err := a.Session().KeptSince(entryID)
	if err != nil {
		return out, fmt.Errorf("taking files back: %w", err)
	}
	var errs []error
	for _, k := range list {
		if k.Lost {
			errs = append(errs, fmt.Errorf("what %s held was too large to be kept", k.Path))
			continue
		}
		r, err := a.cfg.Restore(ctx, k.Path, k.Content, !k.New, dry)
		if errors.Is(err, tool.ErrLink) {
			out.Links++
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("taking files back: %w", err))
		}
		if r.Changed {
			out.Files = append(out.Files, k.Path)
			out.Insertions, out.Deletions = out.Insertions+r.Insertions, out.Deletions+r.Deletions
		}
	}
	return out, errors.Join(errs...)
}

package tool

import (
	"context"

	"github.com/hookline-dev/hookline/agent/model"
)

// Drawn is a Tool that may draw its calls on a screen.
type Drawn interface {
	// Draws reports whether it does.
	Draws() bool
	// Draw returns the lines of a call and of its result. Nil leaves a part to the screen.
	Draw(ctx context.Context, d Drawing) (call, result []string, err error)
}

// Drawing is a call that is to be drawn.
type Drawing struct {
	// Call is the call, and Result what came of it, nil while it runs.
	Call, Result *model.Block
	// Progress is what it has reported so far.
	Progress string
	// Width is that of the screen in cells.
	Width int
	// Expanded says that all is to be shown.
	Expanded bool
}

// Package all lists the dialects that there are. A new dialect adds its line here.
package all

import (
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/antigravity"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/dialect/codex"
	"github.com/hookline-dev/hookline/dialect/copilot"
	"github.com/hookline-dev/hookline/dialect/crush"
	"github.com/hookline-dev/hookline/dialect/cursor"
	"github.com/hookline-dev/hookline/dialect/gemini"
	"github.com/hookline-dev/hookline/dialect/goose"
	"github.com/hookline-dev/hookline/dialect/kodelet"
	"github.com/hookline-dev/hookline/dialect/openhands"
	"github.com/hookline-dev/hookline/dialect/pi"
	"github.com/hookline-dev/hookline/dialect/shim"
	"github.com/hookline-dev/hookline/dialect/worker"
)

// Dialects returns every dialect, in the order in which their hooks run. The slice is
// the caller's.
func Dialects() []dialect.Dialect {
	return []dialect.Dialect{
		claude.Dialect{},
		kodelet.Dialect{},
		worker.Dialect{},
		pi.Dialect{},
		codex.Dialect(),
		copilot.Dialect(),
		copilot.Editor(),
		gemini.Dialect(),
		gemini.Qwen(),
		shim.Dialect(),
		cursor.Dialect(),
		antigravity.Dialect(),
		crush.Dialect(),
		goose.Dialect(),
		openhands.Dialect(),
	}
}

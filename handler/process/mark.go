package process

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
)

// runVariable marks the processes of a run, so that those which left the process group can
// be found. Its value is the marks of the outer runs, if any, and ours; on Linux see also
// [mark.put].
const runVariable = "HOOKLINE_RUN"

// mark tells the processes of a run from all others: the upper half says which program it
// is of, the lower which of its runs, 0 for what belongs to none.
type mark uint64

// programMark is the mark of this program. As a limit it is beyond all that has an effect.
var programMark = mark(1<<62 | rand.Uint64N(1<<30)<<32)

var runs atomic.Uint32

func newMark() mark { return programMark | mark(runs.Add(1)) }

// sameProgram reports whether both marks are of one program.
func (m mark) sameProgram(other mark) bool { return m>>32 == other>>32 }

func (m mark) String() string { return strconv.FormatUint(uint64(m), 36) }

// parseMarks reads the value of runVariable, without what is not a mark: no limit that a process
// has otherwise, such as none, is one either.
func parseMarks(text string) (out []mark) {
	for t := range strings.SplitSeq(text, ":") {
		if v, err := strconv.ParseUint(t, 36, 64); err == nil && v>>62 == 1 {
			out = append(out, mark(v))
		}
	}
	return out
}

package vocab

import (
	"math"
	"strconv"

	"github.com/hookline-dev/hookline/hook"
)

// Seconds turns milliseconds into whole seconds and Millis seconds into whole
// milliseconds, for the Out and In of a Field. Both round up: a deadline is never cut
// short, and never becomes 0, which tools read as none. What is not such a number stays.
func Seconds(v hook.JSON) hook.JSON { return scaled(v, 1e-3) }

// Millis is the way back from Seconds.
func Millis(v hook.JSON) hook.JSON { return scaled(v, 1e3) }

func scaled(v hook.JSON, by float64) hook.JSON {
	n, err := strconv.ParseFloat(v.Raw(), 64)
	if err != nil || !(0 <= n && n <= 1e12) {
		return v
	}
	// The nearest millionth first: 0.28*1000 is more than 280.
	whole := math.Ceil(math.Round(n*by*1e6) / 1e6)
	if n > 0 {
		whole = max(whole, 1)
	}
	return hook.MustJSON(int64(whole))
}

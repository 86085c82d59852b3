package vocab_test

import (
	"testing"

	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

func TestDeadlinesAreNeverCutShort(t *testing.T) {
	for _, tt := range []struct{ raw, seconds, millis string }{
		{"0", "0", "0"},
		{"1", "1", "1000"},
		{"999", "1", "999000"},
		{"1000", "1", "1000000"},
		{"1001", "2", "1001000"},
		{"120000", "120", "120000000"},
		{"0.28", "1", "280"},
		{"1.001", "1", "1001"},
		{"1.0015", "1", "1002"},
		{"0.0001", "1", "1"},
		{"1e-300", "1", "1"},
		{"1500.5", "2", "1500500"},
		{"-1", "-1", "-1"},
		{"9223372036854775807", "9223372036854775807", "9223372036854775807"},
		{"1e400", "1e400", "1e400"},
		{`"5"`, `"5"`, `"5"`},
		{"null", "null", "null"},
		{"", "", ""},
		{"NaN", "NaN", "NaN"},
	} {
		if got := vocab.Seconds(hook.RawJSON(tt.raw)).Raw(); got != tt.seconds {
			t.Errorf("%s ms are %s s, not %s", tt.raw, got, tt.seconds)
		}
		if got := vocab.Millis(hook.RawJSON(tt.raw)).Raw(); got != tt.millis {
			t.Errorf("%s s are %s ms, not %s", tt.raw, got, tt.millis)
		}
	}
}

package all_test

import (
	"fmt"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/hook"
)

// What a foreign host sends its hooks is recognised by its form.
func Example() {
	payload := hook.RawJSON(`{"event":"before_tool_call","tool_name":"bash","tool_input":{"command":"ls"}}`)
	d := dialect.Recognise(all.Dialects(), payload)
	in, _, err := d.Codec().DecodeInput([]byte(payload.Raw()))
	fmt.Println(d.Name(), in.Event(), in.Subject(), err)
	// Output: kodelet PreToolUse Bash <nil>
}

package vocab_test

import (
	"fmt"

	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

// One tool with other names in the dialect; what is not listed stays as it is.
func ExampleVocabulary() {
	v := vocab.Vocabulary{{Canonical: "Write", Dialect: "file_write", Fields: []vocab.Field{{Canonical: "content", Dialect: "text"}}}}
	name, input := v.Out("Write", hook.RawJSON(`{"file_path":"/a","content":"x"}`))
	fmt.Println(name, input.Raw())
	name, input = v.In(name, input)
	fmt.Println(name, input.Raw())
	// Output:
	// file_write {"file_path":"/a","text":"x"}
	// Write {"file_path":"/a","content":"x"}
}

package redact_test

import (
	"fmt"

	"github.com/hookline-dev/hookline/internal/redact"
)

func Example() {
	r := redact.New([]string{"DEPLOY_TOKEN=correct-horse-battery", "EDITOR=vi"})
	fmt.Println(r.String("curl -u deploy:correct-horse-battery https://me:hunter2@example.com/"))
	// Output: curl -u deploy:[redacted:env] https://me:[redacted:url-password]@example.com/
}

package registry_test

import (
	"errors"
	"fmt"

	"github.com/hookline-dev/hookline/agent/model/registry"
)

func Example() {
	getenv := func(name string) string { return map[string]string{"ANTHROPIC_API_KEY": "sk-secret"}[name] }
	cfg := registry.Config{Getenv: getenv}

	m, err := registry.Resolve("anthropic/claude-sonnet-4-5", cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Provider, m.Name, m.Price.Input, m.Price.Window)

	_, err = registry.Resolve("openai/gpt-5", cfg)
	fmt.Println(err, errors.Is(err, registry.ErrNoKey))
	// Output:
	// anthropic claude-sonnet-4-5 3 200000
	// provider openai: no API key: set OPENAI_API_KEY true
}

// Package registry turns a model's name, such as "anthropic/claude-sonnet-4-5"
// or "script:turns.yaml", into a provider that can be called.
//
// Keys come from the environment or from a file that only its owner may read.
// They are handed to the provider and kept nowhere else; no error shows one.
package registry

// Package kodelet is the dialect of executable hooks: files that answer "hook"
// with their type and "run" with JSON, as kodelet defines them. The package holds
// the codec in all four directions, the tool vocabulary and the built-in handlers
// that a recipe may name.
package kodelet

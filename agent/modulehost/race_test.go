//go:build race

package modulehost_test

const raceEnabled = true

//go:build race

package jslib_test

const raceEnabled = true

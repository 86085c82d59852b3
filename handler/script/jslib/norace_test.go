//go:build !race

package jslib_test

const raceEnabled = false

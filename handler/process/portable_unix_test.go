//go:build unix

package process_test

import (
	"runtime"
	"testing"
)

// TestWithoutPump runs the tests of streams and ends once more with a goroutine
// per stream.
func TestWithoutPump(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("all tests ran like that")
	}
	withoutPump = true
	defer func() { withoutPump = false }()
	for name, test := range map[string]func(*testing.T){
		"payload":       TestPayloadArrivesWholeThenEOF,
		"never read":    TestPayloadNeverReadIsNoError,
		"tail":          TestStderrKeepsItsTail,
		"runes":         TestProgressChunksNeverSplitARune,
		"limit":         TestProgressStopsAtTheLimit,
		"held":          TestGrandchildHoldingThePipeDoesNotHoldUs,
		"held and busy": TestGrandchildThatKeepsPrintingDoesNotHoldUs,
		"held, context": TestContextEndsTheDrainOfAHeldPipe,
		"ignores TERM":  TestChildThatIgnoresTermIsKilledAfterGrace,
		"first line":    TestFirstLineIsSeenWhileTheProcessRuns,
		"worker":        TestWorkerAnswersLineByLine,
		"last words":    TestLastWordsOfAWorkerCanBeReadLate,
		"escapees":      TestEscapeesAreKilled,
		"descriptors":   TestWaitsLeaveNoDescriptorBehind,
	} {
		t.Run(name, test)
	}
}

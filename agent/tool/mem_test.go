package tool_test

import (
	"runtime"
	"testing"

	"github.com/hookline-dev/hookline/agent/tool"
)

func TestMemoryOfAnIdleSet(t *testing.T) {
	const n = 200
	dir := t.TempDir()
	sets := make([]*tool.Set, 0, n)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range n {
		s, err := tool.New(tool.Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, s)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / n
	t.Logf("%d bytes", each)
	if each > 50<<10 {
		t.Errorf("an idle set takes %d bytes", each)
	}
	for _, s := range sets {
		s.Close()
	}
}

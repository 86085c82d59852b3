package process_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookline-dev/hookline/handler/process"
)

func TestLimiterBoundsWhatRunsAtOnce(t *testing.T) {
	l := process.NewLimiter(3)
	var now, most atomic.Int32
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			release, _, err := l.Acquire(t.Context(), process.Urgency(i%2 == 0))
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			n := now.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			time.Sleep(time.Millisecond)
			now.Add(-1)
		})
	}
	wg.Wait()
	if most.Load() != 3 {
		t.Errorf("%d ran at once", most.Load())
	}
}

func TestLimiterServesTheUrgentFirstThenByArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := process.NewLimiter(1)
		hold, _, _ := l.Acquire(t.Context(), process.CanWait)
		var order []string
		for _, name := range []string{"o1", "o2", "u1", "u2"} {
			go func() {
				release, waited, err := l.Acquire(t.Context(), process.Urgency(name[0] == 'u'))
				if err != nil || waited < time.Second {
					t.Errorf("%s waited %v, %v", name, waited, err)
				}
				order = append(order, name)
				release()
			}()
			synctest.Wait()
		}
		time.Sleep(time.Second)
		hold()
		hold() // a second call must not make room
		synctest.Wait()
		if !slices.Equal(order, []string{"u1", "u2", "o1", "o2"}) {
			t.Errorf("order %v", order)
		}
	})
}

func TestLimiterWaitEndsWithItsContext(t *testing.T) {
	l := process.NewLimiter(1)
	hold, _, _ := l.Acquire(t.Context(), process.CanWait)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { cancel(cause) })
	if _, _, err := l.Acquire(ctx, process.Urgent); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	hold()
	if release, _, err := l.Acquire(t.Context(), process.CanWait); err != nil {
		t.Errorf("the place was lost: %v", err)
	} else {
		release()
	}
	var none *process.Limiter
	if release, _, err := none.Acquire(t.Context(), process.CanWait); err != nil {
		t.Error(err)
	} else {
		release()
	}
}

func TestFirstDirFallsBack(t *testing.T) {
	dir := t.TempDir()
	gone := filepath.Join(dir, "gone")
	if got, i, err := process.FirstDir("", gone, dir); got != dir || i != 2 || err != nil {
		t.Errorf("%q %d %v", got, i, err)
	}
	_, i, err := process.FirstDir(gone)
	if i != -1 || err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("%d %v", i, err)
	}
	if _, _, err := process.FirstDir(); err == nil {
		t.Error("no directory at all gives no error")
	}
}

package worker_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
)

// BenchmarkCall is one event through the engine and a worker of each library.
func BenchmarkCall(b *testing.B) {
	for _, k := range kits() {
		b.Run(k.name, func(b *testing.B) {
			s := k.start(b)
			s.Env = append(s.Env, "BEHAVIOUR=deny")
			e := engine(b, start(b, s))
			ctx := context.Background()
			if _, err := e.Fire(ctx, bash("ls")); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				out, err := e.Fire(ctx, bash("ls"))
				if err != nil || out.Decision != hook.DecisionDeny || out.Runs[0].Err != nil {
					b.Fatal(err, out.Runs[0].Err)
				}
			}
		})
	}
}

// BenchmarkThroughput is calls a second over four workers, sixteen at once.
func BenchmarkThroughput(b *testing.B) {
	for _, k := range kits() {
		b.Run(k.name, func(b *testing.B) {
			var workers []*worker.Worker
			for range 4 {
				s := k.start(b)
				s.Env = append(s.Env, "BEHAVIOUR=deny")
				workers = append(workers, start(b, s))
			}
			ctx := context.Background()
			var left atomic.Int64
			left.Store(int64(b.N))
			b.ResetTimer()
			var wg sync.WaitGroup
			for i := range 16 {
				wg.Go(func() {
					h := workers[i%4].Handler(0)
					for left.Add(-1) >= 0 {
						if res, err := h.Handle(ctx, &hook.Call{Input: bash("ls")}); err != nil || res.Decision != hook.DecisionDeny {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

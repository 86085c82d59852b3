package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/cmd/hookline/internal/backtest"
)

// mostFrequent is how many groups are shown.
const mostFrequent = 10

// bar returns what draws how far a backtest is.
func (a *app) bar() func(done, all int64) {
	shown := int64(-1)
	return func(done, all int64) {
		if percent := done * 100 / max(all, 1); percent != shown {
			shown = percent
			fmt.Fprintf(a.err, "\r\x1b[K[%-25s] %d%%", strings.Repeat("#", int(percent/4)), percent)
		}
	}
}

// backtestText prints a report for a person.
func (a *app) backtestText(rep *backtest.Report, skipped []string, took time.Duration) {
	a.printf("%s of %s", count(rep.Events, "event", "events"), count(rep.Sessions, "session", "sessions"))
	if rep.Unread > 0 {
		a.printf("; %s could not be read", count(rep.Unread, "line", "lines"))
	}
	a.printf("\n")
	if rep.Sessions == 0 {
		a.warnf("No sessions were found: --since says how far back to look, --agent in which agent's.")
	}
	for _, s := range skipped {
		a.warnf("not fired: %s", s)
	}
	names, counts := rep.Answers()
	for _, n := range names {
		a.printf("  %-6d %s\n", counts[n], escaped(n))
	}
	a.groups("most frequent answers", rep.Groups)
	a.groups("differences", rep.Differences)
	if len(rep.Hooks) > 0 {
		a.printf("\nhooks:\n")
	}
	for _, h := range rep.Hooks {
		perSecond := float64(h.Runs) / max(h.TotalMS, 0.001) * 1000
		a.printf("  %s: %s, %.3g ms each, %.0f a second, longest %.3g ms\n", line(h.Hook), count(h.Runs, "run", "runs"), h.TotalMS/float64(max(h.Runs, 1)), perSecond, h.MaxMS)
		if h.Failed+h.Refused > 0 {
			a.printf("    not counted: %d failed, %d were refused something by the sandbox; one of them: %s\n", h.Failed, h.Refused, line(h.Fault))
		}
	}
	if rep.Events > 0 {
		a.printf("%.0f events a second\n", float64(rep.Events)/max(took.Seconds(), 0.001))
	}
}

func (a *app) groups(title string, list []*backtest.Group) {
	if len(list) == 0 {
		return
	}
	a.printf("\n%s:\n", title)
	for i, g := range list {
		if i == mostFrequent {
			a.printf("  and %d more; --json lists them\n", len(list)-i)
			break
		}
		a.printf("  %-6d %s  %s", g.Count, a.style("1", escaped(g.Answer)), line(strings.TrimSpace(g.Event+" "+g.Tool)))
		if g.Hook != "" {
			a.printf("  %s", line(g.Hook))
		}
		if g.Reason != "" {
			a.printf(": %s", line(g.Reason))
		}
		if g.Ran > 0 {
			a.printf(" (%d ran, %d of them approved by a person)", g.Ran, g.Approved)
		}
		a.printf("\n")
		for _, e := range g.Examples {
			a.printf("         %s\n           %s\n", line(e.Text), a.style("2", line(e.Place+"  "+e.Time.Local().Format("2006-01-02 15:04"))))
		}
	}
}

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/audit"
)

func (a *app) printLog(records iter.Seq2[audit.Record, error], asJSON bool) error {
	for r := range records {
		if !asJSON {
			a.recordText(&r)
			continue
		}
		b, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("encode a record: %w", err)
		}
		if err := a.writeJSON(append(b, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) recordText(r *audit.Record) {
	parts := []string{r.Time.Local().Format("2006-01-02 15:04:05.000"), r.Event}
	if r.Tool != "" {
		parts = append(parts, r.Tool)
	}
	parts = append(parts, r.Hook, r.Status)
	if r.Decision != "" && r.Decision != "none" {
		parts = append(parts, r.Decision)
	}
	parts = append(parts, fmt.Sprintf("%.1f ms", r.DurationMS))
	for _, s := range []string{r.Why, r.Reason, firstLine(r.Error)} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if r.FailedOpen {
		parts = append(parts, "(failed open)")
	}
	a.printf("%s\n", line(strings.Join(parts, "  ")))
}

func (a *app) verifyLog(places audit.Options, asJSON bool) error {
	rep, err := audit.Verify(places)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no log at %s yet", places.Path)
	}
	if err != nil {
		return err
	}
	if asJSON {
		if err := a.printJSON(rep); err != nil {
			return err
		}
	} else {
		a.printf("%s in %s", count(rep.Records, "record", "records"), count(len(rep.Files), "file", "files"))
		if rep.Dropped > 0 {
			a.printf(", %d could not be written", rep.Dropped)
		}
		a.printf("\n")
		for _, f := range rep.Faults {
			a.printf("%s\n", line(f.String()))
		}
		for _, n := range rep.Notes {
			a.printf("note: %s\n", line(n))
		}
		if rep.Intact() {
			a.printf("intact: nothing was changed, removed, moved or added\n")
		}
	}
	if !rep.Intact() {
		return errSilent
	}
	return nil
}

func (a *app) slowLog(timings []audit.Timing, asJSON bool) error {
	if asJSON {
		if timings == nil {
			timings = []audit.Timing{}
		}
		return a.printJSON(timings)
	}
	t := &table{}
	if len(timings) > 0 {
		t.row("HOOK", "EVENT", "RUNS", "FAILED", "MEDIAN", "P95", "TOTAL")
	}
	for _, s := range timings {
		t.row(s.Hook, s.Event, fmt.Sprint(s.Runs), fmt.Sprint(s.Failed), fmt.Sprintf("%.1f ms", s.MedianMS), fmt.Sprintf("%.1f ms", s.P95MS), fmt.Sprintf("%.0f ms", s.TotalMS))
		if p := s.Phases; p != nil {
			if tip := advice(p.StartMS+p.StdinMS+p.RunMS+p.DrainMS, p.StartMS, p.StdinMS, p.RunMS, p.DrainMS); tip != "" {
				t.remark(tip)
			}
		}
	}
	t.print(a.streams)
	return nil
}

// advice says what would make a hook faster, "" when nothing obvious would.
func advice(total, start, stdin, run, drain float64) string {
	switch {
	case drain > 100 && drain > total/2:
		return fmt.Sprintf("%.0f ms of %.0f wait for a child that keeps the output open: let it close stdout, or start it with >/dev/null 2>&1", drain, total)
	case run+stdin > 40 && total > 40:
		return fmt.Sprintf("%.0f ms of %.0f are the program's own start and work: an interpreter that starts slowly gains by prewarm, a worker or a module", run+stdin, total)
	case start > total/2 && total > 5:
		return fmt.Sprintf("%.1f ms of %.1f go by until the process runs: the machine is busy, or the program large", start, total)
	}
	return ""
}

package pi

import (
	"github.com/hookline-dev/hookline/hook"
)

// cancelReason is what is on record when a handler cancels.
const cancelReason = "cancelled by a hook"

// plain is a row for an event that has nothing but its input.
func plain[T hook.Input](ev hook.Event, names []string, encode func(in T) any, decode func(raw hook.JSON, base hook.Common) hook.Input) event {
	return event{
		names: names, canonical: []hook.Event{ev},
		encode: func(_ *codec, in hook.Input) (any, error) {
			t, ok := in.(T)
			if !ok {
				return nil, unexpected(in)
			}
			return encode(t), nil
		},
		decode: func(raw hook.JSON, base hook.Common) (hook.Input, error) { return decode(raw, base), nil },
	}
}

// cancellable adds the answer that all session_before events have.
func cancellable(e event, more func(answer hook.JSON, res *hook.Result), keys ...string) event {
	e.before = true
	e.keys = append([]string{"cancel"}, keys...)
	e.result = func(_ *codec, _ hook.Input, answer hook.JSON, res *hook.Result) {
		if flag(answer, "cancel") {
			res.Cancel, res.Reason = true, cancelReason
		}
		if more != nil {
			more(answer, res)
		}
	}
	e.reply = replyCancel
	e.says = hook.FieldDeny | hook.FieldCancel | hook.FieldSkipRestore | hook.FieldCompaction | hook.FieldSummary
	return e
}

type values map[string]any

// given leaves out what is empty.
func (v values) given() values {
	for key, value := range v {
		switch value := value.(type) {
		case string:
			if value == "" {
				delete(v, key)
			}
		case hook.JSON:
			if value.IsZero() {
				delete(v, key)
			}
		}
	}
	return v
}

func sessionEvents() []event {
	return []event{
		sessionStart(),
		sessionEnd(),
		cancellable(plain(hook.EventSessionBeforeSwitch, []string{"session_before_switch"}, func(in *hook.SessionBeforeSwitch) any {
			return values{"reason": in.Reason, "targetSessionFile": in.TargetSession}.given()
		}, func(raw hook.JSON, base hook.Common) hook.Input {
			return &hook.SessionBeforeSwitch{Common: base, Reason: raw.String("reason"), TargetSession: raw.String("targetSessionFile")}
		}), nil),
		plain(hook.EventSessionSwitch, []string{"session_switch"}, func(in *hook.SessionSwitch) any {
			return values{"reason": in.Reason, "previousSessionFile": in.PreviousSession}.given()
		}, func(raw hook.JSON, base hook.Common) hook.Input {
			return &hook.SessionSwitch{Common: base, Reason: raw.String("reason"), PreviousSession: raw.String("previousSessionFile")}
		}),
		cancellable(plain(hook.EventSessionBeforeBranch, []string{"session_before_branch", "session_before_fork"}, func(in *hook.SessionBeforeBranch) any {
			return values{"entryId": in.EntryID, "position": "at"} // the copy ends with the entry
		}, func(raw hook.JSON, base hook.Common) hook.Input {
			return &hook.SessionBeforeBranch{Common: base, EntryID: raw.String("entryId")}
		}), func(answer hook.JSON, res *hook.Result) {
			res.SkipConversationRestore = flag(answer, "skipConversationRestore")
		}, "skipConversationRestore"),
		plain(hook.EventSessionBranch, []string{"session_branch", "session_fork"}, func(in *hook.SessionBranch) any {
			return values{"previousSessionFile": in.PreviousSession}.given()
		}, func(raw hook.JSON, base hook.Common) hook.Input {
			return &hook.SessionBranch{Common: base, PreviousSession: raw.String("previousSessionFile")}
		}),
		beforeCompact(), compacting(),
		plain(hook.EventPostCompact, []string{"session_compact"}, func(in *hook.PostCompact) any {
			return values{"compactionEntry": in.CompactionEntry, "fromExtension": in.FromHook, "fromHook": in.FromHook, "reason": compactReason(in.Trigger)}.given()
		}, func(raw hook.JSON, base hook.Common) hook.Input {
			entry, _ := raw.Get("compactionEntry")
			return &hook.PostCompact{Common: base, Trigger: compactTrigger(raw), CompactionEntry: entry, CompactSummary: entry.String("summary"), FromHook: flag(raw, "fromExtension") || flag(raw, "fromHook")}
		}),
		plain(hook.EventCompactFailed, []string{"session_compact_failed"}, func(in *hook.CompactFailed) any {
			v := values{"reason": compactReason(in.Trigger), "aborted": in.Aborted}
			if in.ErrorMessage != "" {
				v["errorMessage"] = in.ErrorMessage
			}
			return v
		}, func(raw hook.JSON, base hook.Common) hook.Input {
			return &hook.CompactFailed{Common: base, Trigger: compactTrigger(raw), Aborted: raw.Bool("aborted"), ErrorMessage: raw.String("errorMessage")}
		}),
		plain(hook.EventSessionRenamed, []string{"session_info_changed"}, func(in *hook.SessionRenamed) any { return values{"name": in.Title} },
			func(raw hook.JSON, base hook.Common) hook.Input {
				return &hook.SessionRenamed{Common: base, Title: raw.String("name")}
			}),
		beforeTree(),
		plain(hook.EventSessionTree, []string{"session_tree"}, func(in *hook.SessionTree) any {
			return values{"newLeafId": in.NewLeafID, "oldLeafId": in.OldLeafID, "summaryEntry": in.SummaryEntry, "fromExtension": in.FromHook}.given()
		}, func(raw hook.JSON, base hook.Common) hook.Input {
			summary, _ := raw.Get("summaryEntry")
			return &hook.SessionTree{Common: base, NewLeafID: raw.String("newLeafId"), OldLeafID: raw.String("oldLeafId"), SummaryEntry: summary, FromHook: flag(raw, "fromExtension")}
		}),
	}
}

// sessionStart is told of branches too, where a module's family calls that a start.
func sessionStart() event {
	start := func(reason, previous string) values {
		return values{"reason": reason, "previousSessionFile": previous}.given()
	}
	e := plain(hook.EventSessionStart, []string{"session_start"}, func(in *hook.SessionStart) any { return start(startReason(in.Source), in.PreviousSession) },
		func(raw hook.JSON, base hook.Common) hook.Input {
			return &hook.SessionStart{Common: base, Source: orElse(raw.String("reason"), "startup"), PreviousSession: raw.String("previousSessionFile")}
		})
	of := e.encode
	e.encode = func(c *codec, in hook.Input) (any, error) {
		if branch, ok := in.(*hook.SessionBranch); ok {
			return start("fork", branch.PreviousSession), nil
		}
		return of(c, in)
	}
	return e
}

// sessionEnd is told of branches too, where a module's family calls that an end.
func sessionEnd() event {
	end := func(reason, target string) values {
		return values{"reason": reason, "targetSessionFile": target}.given()
	}
	e := plain(hook.EventSessionEnd, []string{"session_shutdown"}, func(in *hook.SessionEnd) any { return end(endReason(in.Reason), in.TargetSession) },
		func(raw hook.JSON, base hook.Common) hook.Input {
			reason := raw.String("reason")
			switch reason {
			case "new":
				reason = "clear"
			case "quit", "":
				reason = "other"
			}
			return &hook.SessionEnd{Common: base, Reason: reason, TargetSession: raw.String("targetSessionFile")}
		})
	e.first = true // the end of one session is before the start of another
	of := e.encode
	e.encode = func(c *codec, in hook.Input) (any, error) {
		if branch, ok := in.(*hook.SessionBranch); ok {
			return end("fork", branch.TranscriptPath), nil
		}
		return of(c, in)
	}
	return e
}

// endReason is the dialect's word for why a session ends.
func endReason(reason string) string {
	switch reason {
	case "clear":
		return "new"
	case "new", "resume", "fork", "reload":
		return reason
	}
	return "quit"
}

// startReason is the dialect's word for where a session comes from.
func startReason(source string) string {
	if source == "clear" {
		return "new"
	}
	return source
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func beforeCompact() event {
	e := plain(hook.EventPreCompact, []string{"session_before_compact"}, func(in *hook.PreCompact) any {
		return values{
			"preparation": orObject(in.Preparation), "branchEntries": list(in.BranchEntries), "customInstructions": in.CustomInstructions,
			"reason": compactReason(in.Trigger),
		}.given()
	}, func(raw hook.JSON, base hook.Common) hook.Input {
		in := &hook.PreCompact{Common: base, Trigger: compactTrigger(raw), CustomInstructions: raw.String("customInstructions")}
		in.Preparation, _ = raw.Get("preparation")
		in.BranchEntries = array(raw, "branchEntries")
		return in
	})
	return cancellable(e, func(answer hook.JSON, res *hook.Result) {
		if c, ok := member(answer, "compaction"); ok {
			out := hook.Compaction{Summary: c.String("summary"), FirstKeptEntryID: c.String("firstKeptEntryId")}
			if n, ok := c.Int("tokensBefore"); ok {
				out.TokensBefore = int(n)
			}
			out.Details, _ = member(c, "details")
			res.Compaction = &out
		}
	}, "compaction")
}

// compactReason is the dialect's word for what a compaction was made for, and
// compactTrigger the way back.
func compactReason(trigger string) string {
	if trigger == "auto" {
		return "threshold"
	}
	return "manual"
}

func compactTrigger(raw hook.JSON) string {
	if r := raw.String("reason"); r == "threshold" || r == "overflow" {
		return "auto"
	}
	return "manual"
}

func compacting() event {
	e := plain(hook.EventCompacting, []string{"session.compacting"}, func(in *hook.Compacting) any {
		return values{"preparation": in.Preparation}.given()
	}, func(raw hook.JSON, base hook.Common) hook.Input {
		preparation, _ := raw.Get("preparation")
		return &hook.Compacting{Common: base, Preparation: preparation}
	})
	e.keys = []string{"context", "prompt", "preserveData"}
	e.result = func(_ *codec, _ hook.Input, answer hook.JSON, res *hook.Result) {
		data, _ := member(answer, "preserveData")
		res.Compacting = &hook.CompactingAnswer{Context: answer.Strings("context"), Prompt: answer.String("prompt"), PreserveData: data}
	}
	e.says = hook.FieldCompacting
	e.reply = func(_ hook.Input, out *hook.Outcome) any {
		if out.Compacting == nil {
			return nil
		}
		return out.Compacting
	}
	return e
}

func beforeTree() event {
	e := plain(hook.EventSessionBeforeTree, []string{"session_before_tree"}, func(in *hook.SessionBeforeTree) any {
		p := in.Preparation
		return values{"preparation": values{
			"targetId": p.TargetID, "oldLeafId": orNull(p.OldLeafID), "commonAncestorId": orNull(p.CommonAncestorID),
			"entriesToSummarize": list(p.EntriesToSummarize), "userWantsSummary": p.UserWantsSummary,
		}}
	}, func(raw hook.JSON, base hook.Common) hook.Input {
		p, _ := raw.Get("preparation")
		return &hook.SessionBeforeTree{Common: base, Preparation: hook.TreePreparation{
			TargetID: p.String("targetId"), OldLeafID: p.String("oldLeafId"), CommonAncestorID: p.String("commonAncestorId"),
			EntriesToSummarize: array(p, "entriesToSummarize"), UserWantsSummary: flag(p, "userWantsSummary"),
		}}
	})
	return cancellable(e, func(answer hook.JSON, res *hook.Result) {
		if s, ok := member(answer, "summary"); ok {
			details, _ := member(s, "details")
			res.Summary = &hook.BranchSummary{Summary: s.String("summary"), Details: details}
		}
	}, "summary", "customInstructions", "replaceInstructions", "label")
}

func orObject(v hook.JSON) hook.JSON {
	if v.IsZero() {
		return hook.RawJSON("{}")
	}
	return v
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func list(v []hook.JSON) []hook.JSON {
	if v == nil {
		return []hook.JSON{}
	}
	return v
}

func array(raw hook.JSON, key string) []hook.JSON {
	v, _ := raw.Get(key)
	var out []hook.JSON
	if v.IsZero() || v.Decode(&out) != nil {
		return nil
	}
	return out
}

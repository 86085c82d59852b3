package agentsdk

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/registry"
	"github.com/hookline-dev/hookline/dialect/claude"
)

// Begin says that a prompt is being worked on from now.
func (s *Stream) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start, s.api = time.Now(), 0
	if s.structured != nil {
		s.structured.begin()
	}
}

// Result is what came of the prompt: the reply to it, or the error.
func (s *Stream) Result(reply command.Reply, runErr error) Result {
	if reply.Happened {
		reply.Output = ""
	}
	r := Result{
		Type: "result", Subtype: "success", text: reply.Output, Denials: []denial{}, End: string(agent.EndDone),
		SessionID: s.agent.Loop.SessionID(), Usage: tokensOf(s.agent.Loop.Usage()), UUID: uuid.NewString(),
	}
	s.mu.Lock()
	r.DurationMS, r.APIMS = time.Since(s.start).Milliseconds(), s.api.Milliseconds()
	s.mu.Unlock()
	r.CostUSD, r.ModelUsage = s.agent.Cost(), modelUsages(s.agent.Used())
	if res := reply.Result; res != nil {
		r.take(res, reply.Output)
	}
	if runErr != nil {
		r.Subtype, r.IsError, r.Reason = "error_during_execution", true, runErr.Error()
		if reply.Result != nil && reply.Result.Replacement != "" { // that is the result
			stopped := "stop_sequence"
			r.Subtype, r.StopReason = "success", &stopped
		}
	}
	if s.structured != nil {
		s.structured.take(&r)
	}
	if r.Subtype == "success" {
		r.Result = &r.text
	} else {
		r.Errors = []string{r.Reason}
	}
	return r
}

// take takes over how the agent ended.
func (r *Result) take(res *agent.Result, output string) {
	resumed := min(res.Resumed, len(res.Messages)) // a compaction may have left fewer
	r.NumTurns, r.text, r.End, r.Reason = userTurns(res.Messages[resumed:])-res.ContextOnly, res.Text, string(res.End), res.Reason
	r.calls(res)
	if n := len(res.Messages); res.End == agent.EndDone && n > 0 && res.Messages[n-1].Role == model.User && !hasResult(res.Messages[n-1]) {
		r.text = "" // it was to go on, and did not: there is no answer to that
		return
	}
	if res.Text == "" || res.Replacement != "" {
		r.text = cmp.Or(res.Replacement, output)
	}
	switch res.End {
	case agent.EndMaxTurns:
		r.Subtype, r.IsError = "error_max_turns", true
	case agent.EndBudget:
		r.Subtype, r.IsError = "error_max_budget_usd", true
	case agent.EndInterrupted:
		r.NumTurns++ // that it was is a turn, too
		fallthrough
	case agent.EndFailed:
		r.Subtype, r.IsError = "error_during_execution", true
	}
}

// modelUsages are the models in the SDK's words.
func modelUsages(used map[string]registry.Use) map[string]modelUsage {
	out := map[string]modelUsage{}
	for name, of := range used {
		u := of.Usage
		m := modelUsage{
			InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, CacheRead: u.CacheReadTokens, CacheCreation: u.CacheWriteTokens,
			Window: of.Model.Price.Window, CostUSD: of.USD, CostBasis: "unknown",
		}
		if of.Model.Priced {
			m.CostBasis = "list"
		}
		out[name] = m
	}
	return out
}

func hasResult(m model.Message) bool {
	return slices.ContainsFunc(m.Content, func(b model.Block) bool { return b.Type == model.ToolResultBlock })
}

// userTurns counts what the model was told in a run: the prompt, what came after it, and each
// result of a tool.
func userTurns(messages []model.Message) (n int) {
	for _, m := range messages {
		results := 0
		for _, b := range m.Content {
			if b.Type == model.ToolResultBlock {
				results++
			}
		}
		if m.Role == model.User {
			n += max(1, results)
		}
	}
	return n
}

// calls says why the model stopped, and which tool calls did not run.
func (r *Result) calls(res *agent.Result) {
	if res.StopReason != "" {
		r.StopReason = &res.StopReason
	}
	for _, d := range res.Denials {
		r.Denials = append(r.Denials, denial{d.Tool, d.ID, claude.ToolInput(d.Tool, d.Input)})
	}
	if d := res.Deferred; d != nil {
		deferred := "tool_deferred"
		r.NumTurns-- // the model was not told that it is deferred
		r.StopReason, r.Deferred = &deferred, &call{d.ID, d.Tool, d.Input}
	}
}

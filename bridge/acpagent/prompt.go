package acpagent

import (
	"context"
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
)

// take waits until no other prompt is worked on. It reports false when the context ends first.
func (e *editing) take(ctx context.Context) bool {
	select {
	case e.busy <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (e *editing) give() { <-e.busy }

// prompt works on a prompt.
func (s *server) prompt(ctx context.Context, params hook.JSON) (any, func(), error) {
	e, err := s.session(params)
	if err != nil {
		return nil, nil, err
	}
	text, images, err := promptOf(params)
	if err != nil {
		return nil, nil, err
	}
	if !e.take(ctx) {
		return map[string]string{"stopReason": "cancelled"}, nil, nil
	}
	defer e.give()
	if err := e.agent.Refresh(ctx); err != nil {
		return nil, nil, err
	}
	reply, err := e.agent.Commands.Input(ctx, text, command.RPC, images...)
	if reply.Output != "" {
		e.say(reply.Output)
	}
	reason, err := e.stopReason(ctx, reply, err)
	return map[string]string{"stopReason": reason}, nil, err
}

// stopReason says how a prompt ended in the protocol's words.
func (e *editing) stopReason(ctx context.Context, reply command.Reply, err error) (string, error) {
	r := reply.Result
	switch {
	case ctx.Err() != nil || r != nil && r.End == agent.EndInterrupted:
		return "cancelled", nil
	case err != nil:
		return "", err
	case reply.Blocked:
		return "refusal", nil
	case r == nil:
		return "end_turn", nil
	}
	if r.Reason != "" && r.End != agent.EndBlocked {
		e.say(r.Reason)
	}
	switch r.End {
	case agent.EndBlocked:
		return "refusal", nil
	case agent.EndMaxTurns, agent.EndBudget:
		return "max_turn_requests", nil
	}
	return "end_turn", nil
}

// promptOf is a prompt's text, with the files that are embedded in it, and its images.
func promptOf(params hook.JSON) (string, []model.Image, error) {
	var blocks []hook.JSON
	list, _ := params.Get("prompt")
	if err := list.Decode(&blocks); err != nil {
		return "", nil, badParams("prompt: %v", err)
	}
	var texts []string
	var images []model.Image
	for _, b := range blocks {
		switch kind := b.String("type"); kind {
		case "text":
			texts = append(texts, b.String("text"))
		case "image":
			images = append(images, imageOf(b.String("mimeType"), b.String("data")))
		case "resource_link":
			texts = append(texts, fmt.Sprintf("[%s](%s)", b.String("name"), b.String("uri")))
		case "resource":
			file, _ := b.Get("resource")
			if mime := file.String("mimeType"); file.Has("blob") && strings.HasPrefix(mime, "image/") {
				images = append(images, imageOf(mime, file.String("blob")))
				continue
			}
			if !file.Has("text") {
				return "", nil, badParams("the embedded file %s is neither text nor an image", file.String("uri"))
			}
			texts = append(texts, fmt.Sprintf("<context ref=%q>\n%s\n</context>", file.String("uri"), file.String("text")))
		default:
			return "", nil, badParams("a prompt of type %q is not understood", kind)
		}
	}
	text := strings.Join(texts, "\n\n")
	if strings.TrimSpace(text) == "" && len(images) == 0 {
		return "", nil, badParams("the prompt is empty")
	}
	return text, images, nil
}

func imageOf(mime, data string) model.Image {
	return model.Image{Type: "base64", MediaType: mime, Data: data}
}

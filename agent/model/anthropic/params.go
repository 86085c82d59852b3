package anthropic

import (
	stdjson "encoding/json" // for the type that the SDK passes through as it is
	"fmt"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/hookline-dev/hookline/agent/model"
)

// defaultMaxTokens limits an answer when the request does not; the oldest
// models still served allow less.
func defaultMaxTokens(name string) int {
	if strings.HasPrefix(name, "claude-3-") {
		return 4096
	}
	return 16_000
}

func params(req *model.Request) (sdk.MessageNewParams, error) {
	p := sdk.MessageNewParams{
		Model:         sdk.Model(req.Model),
		MaxTokens:     int64(req.MaxTokens),
		StopSequences: req.StopSequences,
	}
	if p.MaxTokens == 0 {
		p.MaxTokens = int64(defaultMaxTokens(req.Model))
	}
	for _, s := range req.System {
		if s != "" {
			p.System = append(p.System, sdk.TextBlockParam{Text: s})
		}
	}
	for i, m := range req.Messages {
		mp, err := message(m)
		if err != nil {
			return p, fmt.Errorf("message %d: %w", i, err)
		}
		if len(mp) > 0 && m.Role == model.Assistant {
			p.Messages = append(p.Messages, sdk.NewAssistantMessage(mp...))
		} else if len(mp) > 0 {
			p.Messages = append(p.Messages, sdk.NewUserMessage(mp...))
		}
	}
	for _, t := range req.Tools {
		tp := sdk.ToolParam{Name: t.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](stdjson.RawMessage(t.Schema))}
		if t.Description != "" {
			tp.Description = param.NewOpt(t.Description)
		}
		p.Tools = append(p.Tools, sdk.ToolUnionParam{OfTool: &tp})
	}
	extras(&p, req)
	if req.CachePrompt {
		markCache(&p)
	}
	return p, nil
}

func extras(p *sdk.MessageNewParams, req *model.Request) {
	switch {
	case req.ThinkingBudget < 0:
		p.Thinking = sdk.ThinkingConfigParamUnion{OfAdaptive: &sdk.ThinkingConfigAdaptiveParam{}}
	case req.ThinkingBudget > 0:
		// Raw, because the typed form makes the SDK write to standard error.
		p.Thinking = param.Override[sdk.ThinkingConfigParamUnion](stdjson.RawMessage(
			fmt.Sprintf(`{"type":"enabled","budget_tokens":%d}`, req.ThinkingBudget)))
		if p.MaxTokens <= int64(req.ThinkingBudget) {
			p.MaxTokens += int64(req.ThinkingBudget)
		}
	}
	if req.Effort != "" {
		p.OutputConfig.Effort = sdk.OutputConfigEffort(req.Effort)
	}
	if req.TaskBudget > 0 { // of a beta, which the typed form does not know
		p.OutputConfig.SetExtraFields(map[string]any{"task_budget": map[string]any{"type": "tokens", "total": req.TaskBudget}})
	}
	if len(req.Tools) == 0 {
		return
	}
	switch req.ToolChoice {
	case "":
	case "any":
		p.ToolChoice = sdk.ToolChoiceUnionParam{OfAny: &sdk.ToolChoiceAnyParam{}}
	case "none":
		p.ToolChoice = sdk.ToolChoiceUnionParam{OfNone: &sdk.ToolChoiceNoneParam{}}
	default:
		p.ToolChoice = sdk.ToolChoiceParamOfTool(req.ToolChoice)
	}
}

// markCache puts the two marks that keep the prompt cached: after the tools and
// the system prompt, and after the last message.
func markCache(p *sdk.MessageNewParams) {
	mark := sdk.NewCacheControlEphemeralParam()
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = mark
	}
	if len(p.Messages) == 0 {
		return
	}
	last := p.Messages[len(p.Messages)-1]
	if last.OfUser == nil {
		return
	}
	for _, b := range slices.Backward(last.OfUser.Content) {
		if cc := b.GetCacheControl(); cc != nil {
			*cc = mark
			return
		}
	}
}

// message converts the blocks of a message. Results of tools go first, as the
// API wants them; empty texts and thinking without a signature, which it
// refuses, are left out.
func message(m model.Message) ([]sdk.ContentBlockParamUnion, error) {
	var results, rest []sdk.ContentBlockParamUnion
	for _, b := range m.Content {
		switch b.Type {
		case model.TextBlock:
			if strings.TrimSpace(b.Text) != "" {
				rest = append(rest, sdk.NewTextBlock(b.Text))
			}
		case model.ThinkingBlock:
			if b.Signature != "" {
				rest = append(rest, sdk.NewThinkingBlock(b.Signature, b.Thinking))
			}
		case model.RedactedThinkingBlock:
			rest = append(rest, sdk.NewRedactedThinkingBlock(b.Data))
		case model.ToolUseBlock:
			rest = append(rest, sdk.NewToolUseBlock(b.ID, stdjson.RawMessage(b.ObjectInput()), b.Name))
		case model.ToolResultBlock:
			r, err := toolResult(b)
			if err != nil {
				return nil, err
			}
			results = append(results, r)
		case model.ImageBlock:
			img, err := image(b)
			if err != nil {
				return nil, err
			}
			rest = append(rest, sdk.ContentBlockParamUnion{OfImage: img})
		default:
			return nil, fmt.Errorf("block of unknown type %q", b.Type)
		}
	}
	return append(results, rest...), nil
}

func toolResult(b model.Block) (sdk.ContentBlockParamUnion, error) {
	r := sdk.ToolResultBlockParam{ToolUseID: b.ToolUseID}
	if b.IsError {
		r.IsError = param.NewOpt(true)
	}
	for _, c := range b.Content {
		switch c.Type {
		case model.TextBlock:
			if c.Text != "" {
				r.Content = append(r.Content, sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{Text: c.Text}})
			}
		case model.ImageBlock:
			img, err := image(c)
			if err != nil {
				return sdk.ContentBlockParamUnion{}, err
			}
			r.Content = append(r.Content, sdk.ToolResultBlockParamContentUnion{OfImage: img})
		case model.DocumentBlock:
			if c.Source == nil {
				return sdk.ContentBlockParamUnion{}, fmt.Errorf("document without a source")
			}
			doc := sdk.NewDocumentBlock(sdk.Base64PDFSourceParam{Data: c.Source.Data})
			r.Content = append(r.Content, sdk.ToolResultBlockParamContentUnion{OfDocument: doc.OfDocument})
		default:
			return sdk.ContentBlockParamUnion{}, fmt.Errorf("a tool result can not hold a %s block", c.Type)
		}
	}
	return sdk.ContentBlockParamUnion{OfToolResult: &r}, nil
}

func image(b model.Block) (*sdk.ImageBlockParam, error) {
	if b.Source == nil {
		return nil, fmt.Errorf("image without a source")
	}
	if b.Source.URL != "" {
		return &sdk.ImageBlockParam{Source: sdk.ImageBlockParamSourceUnion{
			OfURL: &sdk.URLImageSourceParam{URL: b.Source.URL},
		}}, nil
	}
	return &sdk.ImageBlockParam{Source: sdk.ImageBlockParamSourceUnion{
		OfBase64: &sdk.Base64ImageSourceParam{
			Data: b.Source.Data, MediaType: sdk.Base64ImageSourceMediaType(b.Source.MediaType),
		},
	}}, nil
}

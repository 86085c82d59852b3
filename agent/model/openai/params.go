package openai

import (
	stdjson "encoding/json" // for the type that the SDK passes through as it is
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/hookline-dev/hookline/agent/model"
)

func params(req *model.Request, own bool) (sdk.ChatCompletionNewParams, error) {
	p := sdk.ChatCompletionNewParams{
		Model:         req.Model,
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
	}
	if req.MaxTokens > 0 && own {
		p.MaxCompletionTokens = param.NewOpt(int64(req.MaxTokens))
	} else if req.MaxTokens > 0 {
		p.MaxTokens = param.NewOpt(int64(req.MaxTokens))
	}
	if req.Temperature != nil {
		p.Temperature = param.NewOpt(*req.Temperature)
	}
	if len(req.StopSequences) > 0 {
		p.Stop.OfStringArray = req.StopSequences
	}
	if req.Effort != "" {
		p.ReasoningEffort = shared.ReasoningEffort(req.Effort)
	}
	if s := strings.Join(req.System, "\n\n"); s != "" {
		p.Messages = append(p.Messages, sdk.SystemMessage(s))
	}
	for i, m := range req.Messages {
		converted, err := messages(m, own)
		if err != nil {
			return p, fmt.Errorf("message %d: %w", i, err)
		}
		p.Messages = append(p.Messages, converted...)
	}
	for _, t := range req.Tools {
		tp, err := tool(t)
		if err != nil {
			return p, err
		}
		p.Tools = append(p.Tools, tp)
	}
	if len(req.Tools) > 0 {
		p.ToolChoice = toolChoice(req.ToolChoice)
	}
	return p, nil
}

func toolChoice(choice string) sdk.ChatCompletionToolChoiceOptionUnionParam {
	var u sdk.ChatCompletionToolChoiceOptionUnionParam
	switch choice {
	case "":
	case "any":
		u.OfAuto = param.NewOpt("required")
	case "none":
		u.OfAuto = param.NewOpt("none")
	default:
		return sdk.ToolChoiceOptionFunctionToolChoice(sdk.ChatCompletionNamedToolChoiceFunctionParam{Name: choice})
	}
	return u
}

// tool takes the schema apart only at its top, and keeps what is inside raw.
func tool(t model.Tool) (sdk.ChatCompletionToolUnionParam, error) {
	var top map[string]jsontext.Value
	if err := json.Unmarshal(t.Schema, &top); err != nil {
		return sdk.ChatCompletionToolUnionParam{}, fmt.Errorf("schema of tool %s: %w", t.Name, err)
	}
	fn := shared.FunctionDefinitionParam{Name: t.Name, Parameters: make(shared.FunctionParameters, len(top))}
	for k, v := range top {
		fn.Parameters[k] = stdjson.RawMessage(v)
	}
	if t.Description != "" {
		fn.Description = param.NewOpt(t.Description)
	}
	return sdk.ChatCompletionFunctionTool(fn), nil
}

// messages converts one message into the several that the API needs: each tool
// result is a message of its own, before what the person says. own is OpenAI's server,
// which takes files.
func messages(m model.Message, own bool) ([]sdk.ChatCompletionMessageParamUnion, error) {
	if m.Role == model.Assistant {
		return assistant(m)
	}
	var out []sdk.ChatCompletionMessageParamUnion
	var parts []sdk.ChatCompletionContentPartUnionParam
	for _, b := range m.Content {
		switch b.Type {
		case model.TextBlock:
			if b.Text != "" {
				parts = append(parts, sdk.TextContentPart(b.Text))
			}
		case model.ImageBlock:
			part, err := image(b)
			if err != nil {
				return nil, err
			}
			parts = append(parts, part)
		case model.ToolResultBlock:
			beside, err := moved(b, own)
			if err != nil {
				return nil, err
			}
			out = append(out, sdk.ToolMessage(resultText(b, own), b.ToolUseID))
			parts = append(parts, beside...)
		default:
			return nil, fmt.Errorf("a user message can not hold a %s block", b.Type)
		}
	}
	switch {
	case len(parts) == 1 && parts[0].OfText != nil: // what every server understands
		out = append(out, sdk.UserMessage(parts[0].OfText.Text))
	case len(parts) > 0:
		out = append(out, sdk.UserMessage(parts))
	}
	return out, nil
}

// resultText says that a result is an error, since the API has no field for it.
func resultText(b model.Block, own bool) string {
	text := b.ResultText()
	for _, c := range b.Content {
		if c.Type == model.DocumentBlock && !takesFile(c, own) {
			text += "(a PDF document, which this model cannot be shown: turn it into text with a command)"
		}
	}
	if b.IsError && !strings.HasPrefix(strings.ToLower(text), "error") {
		return "Error: " + text
	}
	return text
}

// takesFile reports whether a document can be sent as a file.
func takesFile(b model.Block, own bool) bool { return own && b.Source != nil && b.Source.Data != "" }

// moved are the images and files of a result, which go into the user message that follows,
// because a tool message holds text only.
func moved(b model.Block, own bool) ([]sdk.ChatCompletionContentPartUnionParam, error) {
	var parts []sdk.ChatCompletionContentPartUnionParam
	for _, c := range b.Content {
		switch {
		case c.Type == model.ImageBlock:
			part, err := image(c)
			if err != nil {
				return nil, err
			}
			parts = append(parts, sdk.TextContentPart("Image from the result of "+b.ToolUseID+":"), part)
		case c.Type == model.DocumentBlock && takesFile(c, own):
			parts = append(parts, sdk.TextContentPart("Document from the result of "+b.ToolUseID+":"), sdk.FileContentPart(sdk.ChatCompletionContentPartFileFileParam{
				Filename: param.NewOpt("document.pdf"), FileData: param.NewOpt("data:" + c.Source.MediaType + ";base64," + c.Source.Data),
			}))
		}
	}
	return parts, nil
}

func assistant(m model.Message) ([]sdk.ChatCompletionMessageParamUnion, error) {
	var a sdk.ChatCompletionAssistantMessageParam
	var text []string
	for _, b := range m.Content {
		switch b.Type {
		case model.TextBlock:
			text = append(text, b.Text)
		case model.ThinkingBlock, model.RedactedThinkingBlock: // not part of the API
		case model.ToolUseBlock:
			a.ToolCalls = append(a.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
				OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
					ID: b.ID,
					Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{
						Name: b.Name, Arguments: string(b.ObjectInput()),
					},
				},
			})
		default:
			return nil, fmt.Errorf("an assistant message can not hold a %s block", b.Type)
		}
	}
	if s := strings.Join(text, "\n"); s != "" {
		a.Content.OfString = param.NewOpt(s)
	}
	if !a.Content.OfString.Valid() && len(a.ToolCalls) == 0 {
		return nil, nil
	}
	return []sdk.ChatCompletionMessageParamUnion{{OfAssistant: &a}}, nil
}

func image(b model.Block) (sdk.ChatCompletionContentPartUnionParam, error) {
	if b.Source == nil {
		return sdk.ChatCompletionContentPartUnionParam{}, fmt.Errorf("image without a source")
	}
	url := b.Source.URL
	if url == "" {
		url = "data:" + b.Source.MediaType + ";base64," + b.Source.Data
	}
	return sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: url}), nil
}

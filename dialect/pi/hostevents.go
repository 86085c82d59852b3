package pi

import (
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/hook"
)

func hostEvents() []event {
	return []event{
		plain(hook.EventAutoCompactionStart, []string{"auto_compaction_start"}, func(in *hook.AutoCompactionStart) any { return values{"reason": in.Reason} },
			func(raw hook.JSON, base hook.Common) hook.Input {
				return &hook.AutoCompactionStart{Common: base, Reason: raw.String("reason")}
			}),
		plain(hook.EventAutoCompactionEnd, []string{"auto_compaction_end"}, func(in *hook.AutoCompactionEnd) any {
			return values{"result": in.Result, "aborted": in.Aborted, "willRetry": in.WillRetry, "errorMessage": in.ErrorMessage}.given()
		}, func(raw hook.JSON, base hook.Common) hook.Input {
			result, _ := member(raw, "result")
			return &hook.AutoCompactionEnd{Common: base, Result: result, Aborted: raw.Bool("aborted"), WillRetry: raw.Bool("willRetry"), ErrorMessage: raw.String("errorMessage")}
		}),
		plain(hook.EventAutoRetryStart, []string{"auto_retry_start"}, func(in *hook.AutoRetryStart) any {
			return values{"attempt": in.Attempt, "maxAttempts": in.MaxAttempts, "delayMs": in.DelayMS, "errorMessage": in.ErrorMessage}
		}, func(raw hook.JSON, base hook.Common) hook.Input {
			delay, _ := raw.Int("delayMs")
			return &hook.AutoRetryStart{Common: base, Attempt: number(raw, "attempt"), MaxAttempts: number(raw, "maxAttempts"), DelayMS: delay, ErrorMessage: raw.String("errorMessage")}
		}),
		plain(hook.EventAutoRetryEnd, []string{"auto_retry_end"}, func(in *hook.AutoRetryEnd) any {
			return values{"success": in.Success, "attempt": in.Attempt, "finalError": in.FinalError}.given()
		}, func(raw hook.JSON, base hook.Common) hook.Input {
			return &hook.AutoRetryEnd{Common: base, Success: raw.Bool("success"), Attempt: number(raw, "attempt"), FinalError: raw.String("finalError")}
		}),
		plain(hook.EventRuleTriggered, []string{"ttsr_triggered"}, func(in *hook.RuleTriggered) any { return values{"rules": list(in.Rules)} },
			func(raw hook.JSON, base hook.Common) hook.Input {
				return &hook.RuleTriggered{Common: base, Rules: array(raw, "rules")}
			}),
		plain(hook.EventTodoReminder, []string{"todo_reminder"}, func(in *hook.TodoReminder) any {
			return values{"todos": list(in.Todos), "attempt": in.Attempt, "maxAttempts": in.MaxAttempts}
		}, func(raw hook.JSON, base hook.Common) hook.Input {
			return &hook.TodoReminder{Common: base, Todos: array(raw, "todos"), Attempt: number(raw, "attempt"), MaxAttempts: number(raw, "maxAttempts")}
		}),
		userInput(), userBash(), providerRequest(),
		plain(hook.EventProviderResponse, []string{"after_provider_response"}, func(in *hook.ProviderResponse) any {
			return values{"status": in.Status, "headers": in.Headers}
		}, func(raw hook.JSON, base hook.Common) hook.Input {
			headers, _ := raw.Get("headers")
			return &hook.ProviderResponse{Common: base, Status: number(raw, "status"), Headers: headers}
		}),
		plain(hook.EventDialogStart, []string{"ui_prompt_start"}, func(in *hook.DialogStart) any { return dialogOut(in.Kind, in.Title) },
			func(raw hook.JSON, base hook.Common) hook.Input {
				return &hook.DialogStart{Common: base, Kind: raw.String("kind"), Title: raw.String("title")}
			}),
		plain(hook.EventDialogEnd, []string{"ui_prompt_end"}, func(in *hook.DialogEnd) any { return dialogOut(in.Kind, in.Title) },
			func(raw hook.JSON, base hook.Common) hook.Input {
				return &hook.DialogEnd{Common: base, Kind: raw.String("kind"), Title: raw.String("title")}
			}),
		plain(hook.EventPostModelSwitch, []string{"model_select"}, func(in *hook.PostModelSwitch) any {
			to, from := modelAs(in.ToModel, in.RequestedModel), modelAs(in.FromModel, in.FromRequested)
			return values{"model": to, "previousModel": from, "source": orElse(modelSources[in.Source], in.Source)}.given()
		}, func(raw hook.JSON, base hook.Common) hook.Input {
			to, _ := raw.Get("model")
			from, _ := raw.Get("previousModel")
			source := map[string]string{"set": "picker", "restore": "resume"}[raw.String("source")]
			return &hook.PostModelSwitch{Common: base, ToModel: to.String("id"), FromModel: from.String("id"), Source: orElse(source, raw.String("source"))}
		}),
		resources(),
	}
}

// dialogOut is a dialog that a module waits for.
func dialogOut(kind, title string) any {
	v := values{"reason": "ui_prompt", "kind": kind}
	if title != "" {
		v["title"] = title
	}
	return v
}

// modelAs is a model that was asked for by a name, which may begin with its provider.
func modelAs(id, requested string) values {
	m := values{"id": id, "name": id}
	if provider, _, ok := strings.Cut(requested, "/"); ok {
		m["provider"] = provider
	}
	return m
}

// modelSources are the dialect's words for who changed the model.
var modelSources = map[string]string{"command": "set", "picker": "set", "sdk": "set", "resume": "restore"}

func userInput() event {
	e := plain(hook.EventUserInput, []string{"input"}, func(in *hook.UserInput) any {
		v := values{"text": in.Text, "source": orElse(in.Source, "interactive")}
		if len(in.Images) > 0 {
			v["images"] = imagesOut(in.Images)
		}
		return v
	}, func(raw hook.JSON, base hook.Common) hook.Input {
		return &hook.UserInput{Common: base, Text: raw.String("text"), Images: imagesIn(array(raw, "images")), Source: raw.String("source")}
	})
	e.before = true
	e.keys = []string{"handled", "text", "images", "action"}
	e.result = func(_ *codec, in hook.Input, answer hook.JSON, res *hook.Result) {
		action := answer.String("action")
		if flag(answer, "handled") || action == "handled" {
			res.Host = &hook.HostEffects{Handled: true}
			return
		}
		if text, ok := member(answer, "text"); ok && (action == "transform" || action == "") {
			if s, ok := text.AsString(); ok {
				res.UpdatedPrompt = &s
			}
		}
		if typed, ok := in.(*hook.UserInput); ok && answer.Has("images") {
			typed.Images = imagesIn(array(answer, "images"))
		}
	}
	e.says = hook.FieldDeny | hook.FieldHandled | hook.FieldUpdatedPrompt
	e.reply = func(_ hook.Input, out *hook.Outcome) any {
		switch {
		case out.Blocked() || out.Host != nil && out.Host.Handled:
			return values{"action": "handled", "handled": true}
		case out.UpdatedPrompt != nil:
			return values{"action": "transform", "text": *out.UpdatedPrompt}
		}
		return values{"action": "continue"}
	}
	return e
}

func userBash() event {
	e := plain(hook.EventUserBash, []string{"user_bash"}, func(in *hook.UserBash) any {
		return values{"command": in.Command, "excludeFromContext": in.ExcludeFromContext, "cwd": in.CWD}
	}, func(raw hook.JSON, base hook.Common) hook.Input {
		return &hook.UserBash{Common: base, Command: raw.String("command"), ExcludeFromContext: raw.Bool("excludeFromContext")}
	})
	e.before = true
	e.keys = []string{"result", "operations"}
	e.result = func(_ *codec, _ hook.Input, answer hook.JSON, res *hook.Result) {
		result, ok := member(answer, "result")
		if !ok {
			if !answer.Has("operations") {
				return
			}
			res.Decision, res.Reason = hook.DecisionDeny, "a module wants to run it in its own way (operations), which this host cannot do"
			return
		}
		res.Host = &hook.HostEffects{Handled: true}
		res.UpdatedOutput = hook.MustJSON(bashText(result))
	}
	e.says = hook.FieldDeny | hook.FieldHandled | hook.FieldUpdatedOutput
	e.reply = func(_ hook.Input, out *hook.Outcome) any {
		switch {
		case out.Blocked():
			return values{"result": values{"output": orElse(out.Reason, defaultBlock), "exitCode": 1, "cancelled": true, "truncated": false}}
		case !out.UpdatedOutput.IsZero():
			text, ok := out.UpdatedOutput.AsString()
			if !ok {
				text = out.UpdatedOutput.Raw()
			}
			return values{"result": values{"output": text, "exitCode": 0, "cancelled": false, "truncated": false}}
		case out.Host != nil && out.Host.Handled:
			return values{"result": values{"output": "", "exitCode": 0, "cancelled": false, "truncated": false}}
		}
		return nil
	}
	return e
}

// bashText is the text of a command's result: what it wrote, and how it ended.
func bashText(result hook.JSON) string {
	if s, ok := result.AsString(); ok {
		return s
	}
	text := result.String("output")
	if code := number(result, "exitCode"); code != 0 {
		text = strings.TrimPrefix(strings.TrimSuffix(text, "\n")+fmt.Sprintf("\nCommand exited with code %d", code), "\n")
	}
	if file := result.String("fullOutputPath"); file != "" && result.Bool("truncated") {
		text += "\nThe whole output is in " + file
	}
	return text
}

// providerRequest is the request without its headers, which are another event's, and with
// word that it is streamed, as all are.
func providerRequest() event {
	e := plain(hook.EventProviderRequest, []string{"before_provider_request"}, func(in *hook.ProviderRequest) any {
		payload := in.Payload
		payload.Delete("headers")
		return values{"payload": streamed(payload)}
	},
		func(raw hook.JSON, base hook.Common) hook.Input {
			payload, _ := raw.Get("payload")
			payload.Delete("stream")
			return &hook.ProviderRequest{Common: base, Payload: payload}
		})
	e.result = func(_ *codec, in hook.Input, answer hook.JSON, res *hook.Result) {
		if request, ok := in.(*hook.ProviderRequest); ok {
			if headers, ok := member(request.Payload, "headers"); ok {
				set(&answer, "headers", headers)
			}
		}
		answer.Delete("stream")
		res.UpdatedInput = answer
	}
	e.says = hook.FieldUpdatedInput
	e.reply = func(_ hook.Input, out *hook.Outcome) any {
		if !out.InputChanged {
			return nil
		}
		return streamed(out.UpdatedInput)
	}
	return e
}

// streamed is a request with word that it is streamed.
func streamed(request hook.JSON) hook.JSON {
	set(&request, "stream", true)
	return request
}

func resources() event {
	e := plain(hook.EventResourcesDiscover, []string{"resources_discover"}, func(in *hook.ResourcesDiscover) any {
		return values{"cwd": in.CWD, "reason": in.Reason}
	}, func(raw hook.JSON, base hook.Common) hook.Input {
		return &hook.ResourcesDiscover{Common: base, Reason: raw.String("reason")}
	})
	e.keys = []string{"skillPaths", "promptPaths", "themePaths"}
	e.result = func(_ *codec, _ hook.Input, answer hook.JSON, res *hook.Result) {
		res.Host = &hook.HostEffects{ResourcePaths: answer}
	}
	e.says = hook.FieldResourcePaths
	e.reply = func(_ hook.Input, out *hook.Outcome) any {
		if out.Host == nil || out.Host.ResourcePaths.IsZero() {
			return nil
		}
		return out.Host.ResourcePaths
	}
	return e
}

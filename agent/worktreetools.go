package agent

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/ui"
)

const enterSchema = `{"type":"object","properties":{
"name":{"type":"string","description":"What the worktree is called; a name is made up if absent."}
},"additionalProperties":false}`

const exitSchema = `{"type":"object","properties":{
"action":{"type":"string","enum":["keep","remove"],"description":"keep leaves the worktree and its branch as they are; remove deletes both."},
"discard_changes":{"type":"boolean","description":"Remove it although it holds changes or commits that are nowhere else. Only when the person said so."}
},"required":["action"],"additionalProperties":false}`

func (a *Agent) worktreeTools() []tool.Tool {
	return []tool.Tool{
		&loopTool{
			name: "EnterWorktree", schema: jsontext.Value(enterSchema), run: a.runEnter,
			description: "Lets the session go on in a worktree: a checkout of the project on a branch of its own. Use it only when the person asks for a worktree.",
		},
		&loopTool{
			name: "ExitWorktree", schema: jsontext.Value(exitSchema), run: a.runExit,
			description: "Leaves the worktree for where the session was before.",
		},
	}
}

func (a *Agent) runEnter(ctx context.Context, in tool.Input) (string, any, error) {
	args, err := decodeInput[struct {
		Name string `json:"name"`
	}]("EnterWorktree", in)
	if err != nil {
		return "", nil, err
	}
	w, err := a.EnterWorktree(ctx, args.Name)
	if err != nil {
		return "", nil, err
	}
	text := "The session works in the worktree " + w.Path
	if w.Branch != "" {
		text += " on the branch " + w.Branch
	}
	if w.Reused {
		text += ", which was there already"
	}
	text += "."
	return text, map[string]any{"worktreePath": w.Path, "worktreeBranch": w.Branch, "message": text}, nil
}

func (a *Agent) runExit(ctx context.Context, in tool.Input) (string, any, error) {
	args, err := decodeInput[struct {
		Action  string `json:"action"`
		Discard bool   `json:"discard_changes"`
	}]("ExitWorktree", in)
	if err != nil {
		return "", nil, err
	}
	w, gone, err := a.LeaveWorktree(ctx, args.Action == "remove", args.Discard)
	became := "is kept"
	if gone {
		became = "is removed"
	}
	if _, _, still := a.Worktree(); err != nil && !still && w.ByHook { // the session has left it
		a.notify(err.Error(), ui.Warning)
		became = "could not be removed and is kept"
	} else if err != nil {
		return "", nil, fmt.Errorf("%w (the session works in %s)", err, a.Dir())
	}
	text := fmt.Sprintf("The session works in %s again. The worktree %s %s.", a.Dir(), w.Path, became)
	return text, map[string]any{"action": args.Action, "worktreePath": w.Path, "worktreeBranch": w.Branch, "removed": gone, "message": text}, nil
}

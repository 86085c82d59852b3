package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
)

// teamTask is one task of the list.
type teamTask struct {
	ID          string `json:"id"`
	Subject     string `json:"subject"`
	Description string `json:"description,omitzero"`
	Status      string `json:"status"` // pending, in_progress or completed
	Owner       string `json:"owner,omitzero"`
}

func (a *Agent) createTask(ctx context.Context, in tool.Input) (string, any, error) {
	args, err := decodeInput[struct {
		Subject     string `json:"subject"`
		Description string `json:"description"`
	}]("TaskCreate", in)
	if err != nil {
		return "", nil, err
	}
	t := a.family.team
	t.mu.Lock()
	t.taskID++
	task := &teamTask{ID: fmt.Sprint(t.taskID), Subject: args.Subject, Description: args.Description, Status: "pending"}
	t.tasks = append(t.tasks, task)
	t.mu.Unlock()
	created := &hook.TaskCreated{
		TaskID: task.ID, TaskSubject: task.Subject, TaskDescription: task.Description, TeammateName: a.teammateName(), TeamName: a.teamName(),
	}
	out, err := a.Fire(ctx, created)
	if err == nil && out.Blocked() {
		err = errors.New(a.objection(&out, created))
	}
	if err != nil {
		t.mu.Lock()
		t.tasks = slices.DeleteFunc(t.tasks, func(x *teamTask) bool { return x == task })
		t.mu.Unlock()
		return "", nil, err
	}
	return "Task " + task.ID + " is on the list.", *task, nil
}

// objection is what a hook has against a task, or against its being done.
func (a *Agent) objection(out *hook.Outcome, in hook.Input) string {
	return fmt.Sprintf("%v hook feedback:\n%s", in.Event(), a.refusalText(out, in))
}

func (a *Agent) updateTask(ctx context.Context, in tool.Input) (string, any, error) {
	args, err := decodeInput[struct {
		ID     string  `json:"taskId"`
		Status string  `json:"status"`
		Owner  *string `json:"owner"`
	}]("TaskUpdate", in)
	if err != nil {
		return "", nil, err
	}
	t := a.family.team
	t.mu.Lock()
	i := slices.IndexFunc(t.tasks, func(x *teamTask) bool { return x.ID == args.ID })
	if i < 0 {
		t.mu.Unlock()
		return "", nil, fmt.Errorf("there is no task %q", args.ID)
	}
	task := t.tasks[i]
	was := *task
	t.mu.Unlock()
	if args.Status == "completed" && was.Status != "completed" {
		completed := &hook.TaskCompleted{
			TaskID: was.ID, TaskSubject: was.Subject, TaskDescription: was.Description, TeammateName: a.teammateName(), TeamName: a.teamName(),
		}
		switch out, err := a.Fire(ctx, completed); {
		case err != nil:
			return "", nil, fmt.Errorf("the task stays open: %w", err)
		case out.Blocked():
			return a.objection(&out, completed), was, nil
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if args.Status != "" {
		task.Status = args.Status
	}
	if args.Owner != nil {
		task.Owner = *args.Owner
	} else if task.Owner == "" && args.Status == "in_progress" {
		task.Owner = a.teammateName()
	}
	return fmt.Sprintf("Task %s is %s.", task.ID, task.Status), *task, nil
}

func (a *Agent) listTasks(context.Context, tool.Input) (string, any, error) {
	t := a.family.team
	t.mu.Lock()
	defer t.mu.Unlock()
	tasks := make([]teamTask, 0, len(t.tasks))
	var b strings.Builder
	for _, x := range t.tasks {
		tasks = append(tasks, *x)
		fmt.Fprintf(&b, "%s [%s] %s", x.ID, x.Status, x.Subject)
		if x.Owner != "" {
			b.WriteString(" (" + x.Owner + ")")
		}
		b.WriteByte('\n')
	}
	if len(tasks) == 0 {
		b.WriteString("The list is empty.")
	}
	return b.String(), map[string]any{"tasks": tasks}, nil
}

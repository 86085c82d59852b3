package tool

import (
	"context"
	"fmt"
	"slices"
)

const todoSchema = `{"type":"object","properties":{
"todos":{"type":"array","description":"The whole list, in place of the one before.","items":{"type":"object","properties":{
"content":{"type":"string","minLength":1,"description":"What is to be done."},
"status":{"type":"string","enum":["pending","in_progress","completed"]},
"activeForm":{"type":"string","description":"The same, while it is being done: Running the tests."},
"id":{"type":"string"},"priority":{"type":"string"}
},"required":["content","status"],"additionalProperties":false}}
},"required":["todos"],"additionalProperties":false}`

// Todo is one entry of the list that the model keeps with TodoWrite.
type Todo struct {
	Content    string `json:"content"`
	Status     string `json:"status"` // pending, in_progress or completed
	ActiveForm string `json:"activeForm,omitzero"`
	ID         string `json:"id,omitzero"`
	Priority   string `json:"priority,omitzero"`
}

// Open reports whether it is still to be done.
func (t Todo) Open() bool { return t.Status != "completed" }

type todoInput struct {
	Todos []Todo `json:"todos"`
}

type todoResponse struct {
	OldTodos []Todo `json:"oldTodos"`
	NewTodos []Todo `json:"newTodos"`
}

func (s *Set) todoWrite() Tool {
	return define("TodoWrite", "Keeps a list of what is to be done, for work of several steps. Have one entry in_progress at a "+
		"time, and mark it completed as soon as it is.", todoSchema, s.runTodoWrite)
}

func (s *Set) runTodoWrite(_ context.Context, in todoInput, _ Input) (Result, error) {
	old := s.SetTodos(in.Todos)
	open := 0
	for _, t := range in.Todos {
		if t.Open() {
			open++
		}
	}
	text := fmt.Sprintf("Entries in the list: %d, of which %d open.", len(in.Todos), open)
	return result(text, todoResponse{OldTodos: old, NewTodos: in.Todos})
}

// Todos returns the list that the model keeps.
func (s *Set) Todos() []Todo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.todos)
}

// SetTodos replaces the list, as on resuming a session, and returns the old
// one.
func (s *Set) SetTodos(todos []Todo) []Todo {
	s.mu.Lock()
	old := s.todos
	s.todos = append([]Todo{}, todos...)
	s.mu.Unlock()
	if s.cfg.OnTodos != nil {
		s.cfg.OnTodos(slices.Clone(todos))
	}
	if old == nil {
		old = []Todo{}
	}
	return old
}

package kodelet

import (
	"context"
	"fmt"
	"slices"

	"github.com/hookline-dev/hookline/hook"
)

// Builtin is a handler of a recipe that runs in the program: it has the live
// session, which an executable has not.
type Builtin func(ctx context.Context, in hook.Input) (hook.Result, error)

// Builtins is a set of handlers by name. An embedding program may add its own; the
// value returned by DefaultBuiltins is the caller's.
type Builtins map[string]Builtin

// DefaultBuiltins returns the handlers that recipes can rely on.
func DefaultBuiltins() Builtins { return Builtins{"swap_context": swapContext} }

// swapContext, for turn_end, replaces the conversation by the assistant's
// response: compaction by recipe. It needs a host that offers its session.
func swapContext(_ context.Context, in hook.Input) (hook.Result, error) {
	end, ok := in.(*hook.TurnEnd)
	if !ok {
		return hook.None(), fmt.Errorf("swap_context: it handles turn_end, not %v", in.Event())
	}
	s := end.Session()
	if s == nil {
		return hook.None(), fmt.Errorf("swap_context: this host offers no session")
	}
	if end.Response == "" {
		return hook.None(), fmt.Errorf("swap_context: the response is empty, the conversation stays as it is")
	}
	if err := s.SetMessages([]hook.Message{hook.UserMessage(end.Response)}); err != nil {
		return hook.None(), fmt.Errorf("swap_context: %w", err)
	}
	return hook.None(), nil
}

// unknownBuiltinError names a handler that there is not.
type unknownBuiltinError struct {
	Name  string
	Known []string
}

func (e *unknownBuiltinError) Error() string {
	return fmt.Sprintf("unknown handler %q (known: %v)", e.Name, e.Known)
}

// RecipeHook is a hook of a recipe: a handler by name for a hook type, once or for every
// turn. Source is the place where it stands.
type RecipeHook struct {
	Recipe, Type, Handler string
	Once                  bool
	Source                string
}

// Registrations returns the registrations of a recipe's hook.
func (b Builtins) Registrations(r RecipeHook) ([]hook.Registration, error) {
	fn, ok := b[r.Handler]
	if !ok {
		known := make([]string, 0, len(b))
		for k := range b {
			known = append(known, k)
		}
		slices.Sort(known)
		return nil, &unknownBuiltinError{r.Handler, known}
	}
	events := Events(r.Type)
	if events == nil {
		return nil, fmt.Errorf("unknown hook type %q (known: %v)", r.Type, Types())
	}
	var out []hook.Registration
	for _, ev := range events {
		out = append(out, hook.Registration{
			Event: ev, Name: r.Recipe + ":" + r.Handler, Dialect: Name, Source: r.Source, Once: r.Once, Condition: condition(ev),
			Handler: hook.HandlerFunc(func(ctx context.Context, c *hook.Call) (hook.Result, error) { return fn(ctx, c.Input) }),
		})
	}
	return out, nil
}

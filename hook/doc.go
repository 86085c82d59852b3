// Package hook is a hook engine for AI coding agents: it runs outside code at
// defined moments of an agent's life and merges what that code says.
//
// An Event names a moment, such as EventPreToolUse; its input is a struct of the
// same name. Hooks are registered in a Registry, as Go functions with On or as any
// Handler with Registry.Add. An Engine fires events through them:
//
//	reg := hook.NewRegistry()
//	hook.On(reg, func(ctx context.Context, in *hook.PreToolUse) (hook.Result, error) {
//		if strings.Contains(in.ToolInput.String("command"), "rm -rf") {
//			return hook.Deny("dangerous command"), nil
//		}
//		return hook.None(), nil
//	}, hook.Match("Bash"))
//	eng := hook.New(reg)
//	out, err := eng.Fire(ctx, &hook.PreToolUse{ToolName: "Bash", ToolInput: input})
//
// Ten names are what most programs need; the inputs of the events stand beside them:
//
//   - [Registry] and [On]: which hooks there are, and how a Go function becomes one.
//   - [Engine] and [New]: fire events through them, with [Engine.Fire].
//   - [Result]: what a hook says, made by [None], [Allow], [Deny], [Ask] and their like.
//   - [Outcome] and [Run]: what all hooks came to, and the record of each.
//   - [Handler]: a hook that is not a Go function: a command, a script, a request.
//   - [Matcher] and [Match]: for which subjects of an event a hook runs.
//   - [Observer]: sees hooks start and end.
//
// What may be relied on:
//
//   - Order. Registrations run in groups, by rank and then in the order in which
//     the groups were made; in a group by priority and then in the order of
//     registration. Hooks of a parallel group start together, and their answers
//     are merged in that order, never by who finished first.
//   - The strictest decision wins: deny, defer, ask, allow, none. Adding a hook
//     never turns a deny into anything else.
//   - A hook that fails, times out or panics has not consented. Its failure policy
//     says what its failure counts as, and it is on record as a failure, which is
//     something other than silence, a decision and a cancellation.
//   - An allow counts for the input that was looked at, not for one that another
//     hook made of it later.
//   - What has no effect is on record as ignored, with the reason.
//   - Nothing is started twice, also not a hook that goes on in the background.
//   - Firing an event that nothing matches allocates nothing and takes no lock.
//
// The package knows no file, process, dialect or script language.
package hook

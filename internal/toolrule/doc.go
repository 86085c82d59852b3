// Package toolrule reads and matches rules about calls of tools: those of package
// permission, whose Rule says how one is written, and the filters of hooks.
//
// Whether a rule speaks about a call has three answers: [Yes], [No] and
// [Uncertain], which is what there is to say when a command can't be parsed or
// computes what it runs. There are three ways to ask, because the safe reading
// depends on what the answer is for:
//
//   - [Rule.Match] is for deny and ask rules: Yes when any part of the call
//     matches.
//   - [Rule.Covers] is for allow rules: Yes only when every part matches.
//   - [MatchIf] is for a hook's filter: Yes when a part is what the pattern
//     says, with the least surprise for the person who wrote it.
//
// Shell commands are never matched as text alone: they are parsed, and every
// simple command in them is looked at, those inside substitutions and those
// that sudo, xargs, bash -c and the like start among them.
package toolrule

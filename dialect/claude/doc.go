// Package claude is the dialect of Claude Code's hooks: commands, URLs and prompts
// in settings.json, with a matcher, JSON on stdin, and an answer by exit code or
// JSON on stdout. Hooks that people have written for it run unchanged.
//
// Codec translates in all four directions. It gives a hook its input and reads its
// answer; and it reads what a foreign host of this dialect sends and answers that
// host, so that the engine can stand behind it.
//
// ParseSettings reads a file of hooks: the settings of any level, a plugin's
// hooks.json, the inline hooks of a plugin's manifest, the frontmatter of a skill
// or an agent. Good entries load; for each bad one there is a diagnostic with its
// place. A bad entry that might have been a guard is kept as a broken one, so that
// its loss shows: it fails wherever it would have run.
//
// A Set joins the settings of all sources in their declared order, decides which
// switches hold, and turns the entries into registrations for one parallel group.
//
// # What differs from the original
//
// The author of a hook finds the contract kept. Where the original drops something
// in silence or leaves it to a race, this package is louder or stricter:
//
//   - Answers of parallel hooks are merged in declared order, not by who finishes
//     first.
//   - Whatever of an answer had no effect is noted: unknown keys with a suggestion,
//     text that nobody sees, a refusal that contradicts an allow beside it (the
//     stricter part counts).
//   - A refusal that can be read stays one even when another part of the answer is
//     wrong. A refusal buried in other text makes the run a failure, never silence.
//   - A missing hookEventName is taken as the current event.
//   - systemMessage reaches the model too, unless configured otherwise, and
//     updatedPrompt is accepted on UserPromptSubmit.
//   - A file of the project or a plugin can add hooks and never relax or turn off
//     those of the user or the administrator.
package claude

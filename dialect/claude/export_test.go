package claude

import "github.com/hookline-dev/hookline/hook"

// Replace replaces what the handler of an entry runs.
func Replace(h, by hook.Handler) { h.(*namedHandler).Handler = by }

var AddHook = addHook

type EncodeError = encodeError

type InputError = inputError

var LintMatcher = lintMatcher

var NewSet = newFileSet

var ParseFrontmatter = parseFrontmatter

var ParseInlineHooks = parseInlineHooks

var ParseMessageTo = parseMessageTo

var Schema = fileSchema

type Set = fileSet

var ToolNames = toolNames

package permission

import "github.com/hookline-dev/hookline/internal/toolrule"

// Rule is one line that says which uses of a tool it speaks about. The zero Rule matches
// nothing. Rules are immutable and safe for concurrent use.
//
// A rule is a tool's name, or a name with content in parentheses:
//
//	Bash                     every call of the tool
//	Bash(git status:*)       commands that begin with these words
//	Bash(git *)              * stands for anything; a trailing " *" also for nothing
//	Bash(ls -la)             exactly this command
//	Read(./src/**)           a path in the project; ** crosses directories
//	Read(.env)               a name without a slash: at any depth
//	Edit(~/notes/**)         below the home directory
//	Edit(//etc/**)           below the root of the file system
//	Edit(/docs/**)           below the project, or the absolute path
//	WebFetch(domain:a.com)   a host; *.a.com for the hosts below it
//	mcp__server              every tool of an MCP server
//	mcp__server__*           the same
//	Agent(reviewer)          one kind of subagent
//	Skill(name)              one skill
//
// Edit rules speak about every tool that changes files, Read rules about every
// tool that reads them, and both about the files that a shell command names.
type Rule struct{ rule toolrule.Rule }

// ParseRule reads the text of a rule. Blanks around the rule are ignored; within the
// parentheses every character counts.
func ParseRule(text string) (Rule, error) {
	r, err := toolrule.Parse(text)
	return Rule{r}, err
}

// NewRule makes a rule of its two halves, as permission updates carry them. An empty
// content stands for every call of the tool.
func NewRule(tool, content string) (Rule, error) {
	r, err := toolrule.New(tool, content)
	return Rule{r}, err
}

// Tool returns the rule's tool name.
func (r Rule) Tool() string { return r.rule.Tool() }

// Content returns what stands in the parentheses, "" when there are none.
func (r Rule) Content() string { return r.rule.Content() }

// String returns the rule's text. ParseRule of it gives an equal rule.
func (r Rule) String() string { return r.rule.String() }

// Equal reports whether two rules say the same in the same words.
func (r Rule) Equal(other Rule) bool { return r.rule.Equal(other.rule) }

// MarshalText returns the rule's text.
func (r Rule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText parses the rule's text.
func (r *Rule) UnmarshalText(text []byte) error {
	parsed, err := ParseRule(string(text))
	if err == nil {
		*r = parsed
	}
	return err
}

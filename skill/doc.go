// Package skill finds skills: directories with a SKILL.md that says, in a YAML
// header, what the skill is called and when to use it. A model is shown names
// and descriptions, and asks for the body of the one it needs.
//
//	skills/code-review/SKILL.md
//	skills/code-review/checklist.md     # a resource
//
//	---
//	name: code-review
//	description: How to review a change. Use it when asked for a review.
//	allowed-tools: Read, Grep
//	---
//	Read the diff first ...
//
// [Discover] reads the skills directories of the project (.hookline, .kodelet and
// .claude), its plugins, the home directory and its plugins, in that order. A skill's name is its directory's,
// with org/repo/ in front when it comes from a plugin. Of two of one name the
// earlier counts; a broken one is reported, with the line, and does not stand
// in the way of a good one further down.
package skill

// Package policy holds tests of rules that the whole repository keeps.
package policy

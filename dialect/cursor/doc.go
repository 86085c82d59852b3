// Package cursor is the dialect of Cursor: flat answers, events for every tool beside those
// for single ones, JSON packed into strings, and hooks.json with a version.
package cursor

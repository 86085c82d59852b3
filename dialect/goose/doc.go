// Package goose is the dialect of goose's hooks, which it takes from plugins.
package goose

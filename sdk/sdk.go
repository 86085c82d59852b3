// Package sdk holds the libraries that workers are written with, so that the command can
// write one beside a new worker. Workers themselves use the packages and files below it.
package sdk

import "embed"

// Files are the libraries: python/hookline.py, node/hookline.mjs with its declarations, and
// go/hookline/hookline.go.
//
//go:embed python/hookline.py node/hookline.mjs node/hookline.d.mts go/hookline/hookline.go
var Files embed.FS

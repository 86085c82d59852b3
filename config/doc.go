// Package config reads Hookline's own configuration: config.json in the managed
// directory, in the user's configuration directory and in a project's .hookline
// directory. Comments and trailing commas are accepted; unknown keys, wrong types
// and duplicate keys are errors with a file, a line and a column.
//
// Levels add up, and a lower level never relaxes a higher one: a project may turn
// strict mode on and its own hooks off, and nothing else that would make hooks
// weaker.
package config

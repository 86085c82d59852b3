// Package crush is the dialect of crush's own hooks, which it takes from its configuration.
package crush

// Package pi plays the modules of a table under pi and under ours, and judges the pi
// dialect by the difference: what modules were told, what the model was sent because of
// them, what the person saw, what is in the session and in the project.
package pi

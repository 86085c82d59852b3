// Package foreign is what the dialects of other makers' agents have in common: a codec
// and a reader of hook files that work by tables. A dialect says how its host spells
// events, payloads, answers and files, and this package does the rest; what a table
// cannot say is a function in it.
package foreign

// Package bridge puts our hooks behind agents of other makers. It reads what such a host
// sends its hooks, fires the event through our engine, and answers in the host's own form.
//
// Two rules hold everywhere. A restriction is never lost: what a host cannot express goes
// to the nearest stricter thing, and what was lost is told. And nothing that goes wrong opens
// the gate: an event that can be refused, and for which hooks are registered, is refused.
package bridge

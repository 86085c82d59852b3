// Package audit keeps records of what hooks did: one line of JSON for each run of a
// hook, those that were skipped, failed or not approved included.
//
// A [Log] is a hook.Recorder. It writes to a file that is rotated by size and that
// several processes may share. Each line carries the hash of what was before it, so
// that [Verify] finds lines that were changed, removed or put in another order. The
// hashes need no key: they show accidents and careless hands, and somebody who may
// write to the file and takes the trouble can compute all of them anew.
//
// Secrets are taken out of everything that is stored. What tools were given and
// returned is stored at level [Full] only; below that there are sizes and digests.
//
// Package audit/otel sends the same facts to an OpenTelemetry collector.
package audit

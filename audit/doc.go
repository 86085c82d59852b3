// Package audit keeps records of what hooks did: one line of JSON for each run of a
// hook, those that were skipped, failed or not approved included.
//
// A [Log] is a hook.Recorder. It writes to a file that is rotated by size and that
// several processes may share. Each line carries the hash of what was before it, so
// that [Verify] finds lines that were changed, removed or put in another order. Where the
// chain begins and ends is signed with a key, so that nobody without it can cut the log or
// compute its hashes anew. Who can read the key can; and who can write to the log, the
// signed end and all other places of it can put back what they held at one time.
//
// Secrets are taken out of everything that is stored. What tools were given and
// returned is stored at level [Full] only; below that there are sizes and digests.
//
// Package audit/otel sends the same facts to an OpenTelemetry collector.
package audit

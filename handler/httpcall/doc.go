// Package httpcall runs hooks that are requests: the event is posted to a URL, and
// a JSON object in the response is the answer.
//
// A 2xx response with an empty body means no opinion, and one with a JSON object is
// what the codec makes of it. Everything else (other text, another status, no
// connection) is a failure, which counts by the hook's failure policy: a status
// code alone never blocks and never allows.
//
// # What goes where
//
// A hook may only reach the URLs of its allow-list; redirects stay on the same
// scheme, host and port and keep the method; no proxy is used unless the
// [Client] names one; certificates are verified. Header values take variables of
// the environment that the hook names, and no others. What such variables hold,
// and credentials in the URL, never appear in errors or records.
package httpcall

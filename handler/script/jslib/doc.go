// Package jslib holds the JavaScript half of the Node built-ins and web
// globals that hook modules may use, as source text: hand-written modules
// under src, embedded in the binary. The Go half, which touches files,
// processes and the network, is package node.
//
// Three pieces of text make it work. Globals is a small script that runs in
// every VM; it defines each global as a getter that loads the implementation
// on first use, so that a module which needs no URL parser does not pay for
// one. Source gives the bundler an ES module per import. Chunk gives the VM
// the implementation itself, by way of the host operation
// "node.internal.source".
//
// # The bridge
//
// Before Globals runs, the engine sets globalThis.__host to an object with
//
//	sync(op, argsJSON): string              // {"v":...} or {"e":{message, code, ...}}
//	async(op, argsJSON, onSettle, onEvent)  // returns an id; onSettle gets the same JSON
//	abort(id)
//	chunk(name): function                   // optional, see below
//
// and the functions setTimeout, setInterval, clearTimeout, clearInterval and
// queueMicrotask. Globals captures them; the engine may delete __host
// afterwards. Modules reach the bridge as "hookline:host".
//
// An engine that can keep bytecode may offer chunk, which returns the function
// that the text of Chunk evaluates to, or undefined. It makes the first use of
// a built-in about ten times cheaper than parsing it in every VM.
package jslib

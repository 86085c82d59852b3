// Package node is the Go half of the Node built-ins that hook modules import;
// package jslib is the JavaScript half.
//
// Primitives answers the operations that jslib calls by name, "node.fs.stat"
// and the like, for one module: files through os.Root of the folders it was
// granted, processes in groups of their own, requests to granted hosts only,
// an environment cut down to granted names. Arguments and results are JSON;
// bytes travel as base64.
//
// # Grants
//
// What a module may do is in Grants, and is checked here, at the operation,
// never in JavaScript. A refused operation fails with code ERR_ACCESS_DENIED
// and a message that names the grant to ask for: "read:/etc/hosts",
// "net:api.example.com", "exec". The zero Grants allow nothing but what needs
// no grant: time, random numbers, digests, the log.
//
// A folder granted to read or write is held open as an os.Root, so that
// neither "..", nor an absolute path, nor a symbolic link, nor a rename in
// mid-operation leads out of it. A link from one granted folder into another
// is followed. The grant "*" or the root of the file system means all files.
//
// A module with the exec grant runs programs with the user's rights: that
// grant includes whatever such a program may do.
//
// # Errors
//
// Errors are *Error: Node's code, errno, syscall and path, so that JavaScript
// can throw what Node would throw. ErrorJSON gives the JSON form of any error.
package node

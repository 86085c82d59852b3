// Package capabilities holds the documentation to the code: each row of
// capabilities.md, the test index, names a test that is there, links lead somewhere, and what the
// pages tell a reader to type exists.
//
// The package has tests only.
package capabilities

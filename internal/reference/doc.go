// Package reference writes the reference pages of the documentation from the
// tables in the code. A test fails when a page is stale; 'make docs' writes them
// anew.
package reference

//go:build !unix

package node

const nonBlocking = 0

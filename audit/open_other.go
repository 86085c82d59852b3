//go:build !unix

package audit

const (
	openNoFollow = 0
	openNonblock = 0
)

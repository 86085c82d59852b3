//go:build !unix

package frontmatter

const openNonblock = 0

//go:build !unix

package regular

// withoutWaiting does nothing: there are no pipes in folders.
const withoutWaiting = 0

//go:build 386 || arm || mips || mipsle

package units

// weft counts bytes, packets and indices in int, and its simulations need more
// memory than 32 bits address. The next line stops a build for such a platform with
// an error that says so.
var _ = weftNeedsA64BitPlatform

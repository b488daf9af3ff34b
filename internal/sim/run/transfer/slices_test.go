package transfer

import (
	"testing"
)

// The work requests of a message have all of its bytes; none crosses a block or is longer than a slice.
func TestSlicesCoverAMessage(t *testing.T) {
	for _, bytes := range []int64{0, 1, 100, 4096, 10_000} {
		for _, block := range []int64{0, 1, 256, 300, 20_000} {
			for _, slice := range []int64{0, 64, 256, 5000} {
				for _, piece := range []int64{0, 100} {
					m := Message{Bytes: bytes, Block: block, Slice: slice}
					sum, n, inBlock := int64(0), int64(0), int64(0)
					m.slices(piece, func(b int64) {
						sum, n, inBlock = sum+b, n+1, inBlock+b
						switch {
						case b < 1 || slice > 0 && b > slice || piece > 0 && b > piece || block > 0 && inBlock > block:
							t.Fatalf("%+v in pieces of %d: a work request of %d bytes, %d in its block", m, piece, b, inBlock)
						case block > 0 && inBlock == block:
							inBlock = 0
						}
					})
					if sum != max(1, bytes) || n != m.count(piece) {
						t.Fatalf("%+v in pieces of %d: %d bytes in %d work requests, counted %d", m, piece, sum, n, m.count(piece))
					}
				}
			}
		}
	}
}

package fabric

import "testing"

// TestRecordsOfAMakerLieInARow takes records for two makers in turn and gives them
// back in another order: each maker's are consecutive, no record is out twice, and
// records that were given back are used again.
func TestRecordsOfAMakerLieInARow(t *testing.T) {
	for _, size := range []uint{0, blockSize} {
		p := newPool()
		p.size = size
		for round := range 3 {
			var a, b block
			out := map[int32]bool{}
			last := [2]int32{-1, -1}
			for j := range 4 << size {
				for maker, from := range []*block{&a, &b} {
					i := p.get(from)
					if out[i] {
						t.Fatalf("blocks of %d: record %d is out twice", 1<<size, i)
					}
					if j%(1<<size) != 0 && i != last[maker]+1 {
						t.Errorf("blocks of %d: record %d follows %d", 1<<size, i, last[maker])
					}
					out[i], last[maker] = true, i
				}
			}
			for i := range out {
				p.put(i)
			}
			if p.live != 0 || len(p.hot) != 8<<size {
				t.Errorf("blocks of %d, round %d: %d packets of %d records, want none of %d", 1<<size, round, p.live, len(p.hot), 8<<size)
			}
		}
	}
}

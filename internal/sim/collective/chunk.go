package collective

import "fmt"

// NCCL's division of messages with the Simple protocol. A connection has a buffer of 4 MiB
// (DEFAULT_BUFFSIZE, src/init.cc) in NCCL_STEPS = 8 slots (src/include/device.h). A ring's chunk is
// four slots in two slices (ALLREDUCE_CHUNKSTEPS = NCCL_STEPS/2, ALLREDUCE_SLICESTEPS =
// NCCL_STEPS/4, and the same for all-gather and reduce-scatter: src/include/collectives.h); a
// tree's, a broadcast's and a send's chunk is one slot.
const (
	Slots      = 8
	SlotBytes  = 4 << 20 / Slots
	RingChunk  = Slots / 2 * SlotBytes
	RingSlices = 2
	leastSlice = 32 // a slice has at least this part of a full one (genericOp, src/device/prims_simple.h)
	TreeChunk  = SlotBytes
	ringAlign  = 16
)

// cut divides a vector into lanes: first into one part per channel, then each part into loops of at
// most unit bytes. Both cuts fall on multiples of elem. The loops have slices lanes each, for the
// algorithms to use.
type cut struct {
	length   int64
	unit     int64
	elem     int64
	channels int
	loops    int
	slices   int
	least    int64 // of a slice, but the last
	window   int
}

func newCut(s Spec, length, unit int64, slices, window int) (cut, error) {
	if s.Window > 0 {
		window = s.Window
	}
	unit = max(unit-unit%s.Elem, s.Elem)
	c := cut{length: length, unit: unit, elem: s.Elem, channels: s.Channels, slices: slices, window: window}
	c.least = max(ceil(s.chunk(RingChunk), slices*leastSlice, s.Elem), s.Elem)
	lo, hi := c.part(0) // the longest
	loops := (hi - lo + unit - 1) / unit
	if loops*int64(slices)*int64(s.Channels) > MaxLanes {
		return cut{}, fmt.Errorf("collective: %d bytes in chunks of %d need %d lanes, more than %d: take larger chunks", length, s.Chunk, loops*int64(slices)*int64(s.Channels), MaxLanes)
	}
	c.loops = max(int(loops), 1)
	return c, nil
}

// Lanes, Channels and Window implement Program.
func (c *cut) Lanes() int    { return c.channels * c.loops * c.slices }
func (c *cut) Channels() int { return c.channels }
func (c *cut) Window() int   { return c.window }

// part is the range of a channel.
func (c *cut) part(channel int) (lo, hi int64) {
	return split(0, c.length, c.channels, channel, c.elem)
}

// loop is the range of a lane's loop, and the lane's slice of the loop.
func (c *cut) loop(lane int) (lo, hi int64, slice int) {
	plo, phi := c.part(lane % c.channels)
	lane /= c.channels
	lo = min(plo+int64(lane/c.slices)*c.unit, phi)
	return lo, min(lo+c.unit, phi), lane % c.slices
}

// slice is a slice of the chunk [lo, hi): of a small chunk the first one has all, and the others are
// empty.
func (c *cut) slice(lo, hi int64, i int) (int64, int64) {
	return block(lo, hi, max(ceil(hi-lo, c.slices, c.elem), c.least), i)
}

// empty reports whether chunks of at most a size are too small for a slice, which has nothing of them.
func (c *cut) empty(chunk int64, i int) bool { return int64(i)*c.least >= chunk }

// split is the i-th of n parts of [lo, hi), equal within one element.
func split(lo, hi int64, n, i int, elem int64) (int64, int64) {
	count := (hi - lo) / elem
	each, rest := count/int64(n), count%int64(n)
	start := lo + (int64(i)*each+min(int64(i), rest))*elem
	end := start + each*elem
	if int64(i) < rest {
		end += elem
	}
	return start, end
}

// block is the i-th piece of size bytes of [lo, hi), empty past the end.
func block(lo, hi, size int64, i int) (int64, int64) {
	start := min(lo+int64(i)*size, hi)
	return start, min(start+size, hi)
}

// ceil is a/b rounded up to a multiple of elem.
func ceil(a int64, b int, elem int64) int64 {
	d := (a + int64(b) - 1) / int64(b)
	return (d + elem - 1) / elem * elem
}

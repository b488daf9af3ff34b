package marking

import "math/rand/v2"

// ECN marks packets of one priority at the egress queue with a probability
// that rises from 0 at KMin to PMax at KMax bytes and is 1 above: WRED as in
// RFC 3168 networks. KMax 0 marks nothing.
type ECN struct {
	KMin, KMax int32
	PMax       uint32 // of 2^32
	// AtDequeue uses the length of the queue when the packet leaves, without the packet; otherwise
	// the length when it is queued, with the packet.
	AtDequeue bool
}

// Marks draws whether a packet is marked that finds a queue of a number of bytes.
func (e *ECN) Marks(queue int32, random *rand.PCG) bool {
	if e.KMax <= 0 || queue <= e.KMin {
		return false
	}
	if queue > e.KMax {
		return true
	}
	threshold := uint64(e.PMax) * uint64(queue-e.KMin) / uint64(e.KMax-e.KMin)
	return random.Uint64()>>32 < threshold
}

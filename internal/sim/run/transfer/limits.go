package transfer

import "weft/units"

const (
	// longestSlice is the most bytes of a work request: a queue pair takes messages of up to 2 GiB.
	longestSlice = int64(units.GiB)
	// maxMessages bounds the messages in flight: their numbers are immediate data.
	maxMessages = 1 << 31
	// maxSlices bounds the work requests of a message, which wait in memory until they are posted: a layer
	// of a million tokens whose heads part in each token.
	maxSlices = 1 << 21
	// MessageBytes is about the memory that a run keeps of each message in flight.
	MessageBytes = 20
)

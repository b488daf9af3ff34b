package serve

// The tags of timers: a kind and a number.
const (
	tagLane     = iota // a lane's next layer
	tagJob             // the scheduler's
	tagLayer           // the next layer of an iteration
	tagComputed        // a computation of a layer is over
	tagExchange        // an exchange of a layer is over
	tagNext            // the next exchange of a layer
	tagPart            // a part of a layer is over
	tagLate            // a transfer arrives that exchanges have slowed
	tagStage           // a stage's work at an iteration is over
	tagPassed          // a part of an iteration's activations is in the next stage, or they are gathered
)

// tagShift separates the kind of a tag from its number.
const tagShift = 56

func tagOf(kind, number int) uint64 { return uint64(kind)<<tagShift | uint64(number) }

func tagKind(tag uint64) (kind, number int) {
	return int(tag >> tagShift), int(tag & (1<<tagShift - 1))
}

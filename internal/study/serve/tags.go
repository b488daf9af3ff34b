package serve

// The tags of timers: a kind and a number.
const (
	tagLane = iota // a lane's next layer
	tagJob         // the scheduler's
)

// tagShift separates the kind of a tag from its number.
const tagShift = 56

func tagOf(kind, number int) uint64 { return uint64(kind)<<tagShift | uint64(number) }

func tagKind(tag uint64) (kind, number int) {
	return int(tag >> tagShift), int(tag & (1<<tagShift - 1))
}

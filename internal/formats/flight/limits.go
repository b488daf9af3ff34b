package flight

// Bounds of the input, each with its reason.
const (
	maxBytes  = 512 << 20 // of a file: the recorder keeps some thousand entries, Inspector some 500 bytes for each collective
	maxEvents = 1 << 22   // of a job: thousand ranks with some thousand collectives
	maxNotes  = 64        // listed; the others are counted
	maxRank   = 1 << 22   // of a job
	maxText   = 512       // of a name: longer ones are cut
)

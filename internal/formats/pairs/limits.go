package pairs

// Bounds of the input, each with its reason.
const (
	maxBytes = 256 << 20 // of a file: a matrix of a thousand hosts has some ten megabytes
	maxLine  = 1 << 20   // of a line: a row of a thousand hosts has some ten kilobytes
	maxHosts = 2048      // of a matrix, whose pairs are the square
	maxPairs = 1 << 22   // of a set
	maxNotes = 64        // listed; the others are counted
	maxName  = 256       // of a host
)

package portstate

const (
	// MaxFile is the largest file in bytes. ibdiagnet2.db_csv of 20,000 ports with all sections has
	// some 100 MB.
	MaxFile = 256 << 20

	// maxReadings bounds the readings of all files, a kilobyte each: 20,000 ports, 50 times.
	maxReadings = 1 << 20

	// maxNotes bounds the notes of one file; further notes are counted.
	maxNotes = 50

	// maxLine is the longest line in bytes that a reader takes apart. UFM can write its JSON as one
	// line, which is not read by lines.
	maxLine = 1 << 20
)

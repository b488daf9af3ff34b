package planfile

const (
	// maxBytes bounds a file. The largest known plan has 100,000 rows of 200 bytes.
	maxBytes = 64 << 20

	// maxCables bounds the cables of a fabric, and of a file with errors the rows.
	maxCables = 1 << 20

	// maxDevices bounds the devices of a fabric.
	maxDevices = 1 << 18

	// maxValues bounds the values of a JSON or YAML file.
	maxValues = 4 << 20

	// maxDepth bounds how deep a value is nested. The deepest format has 8 levels.
	maxDepth = 64

	// maxNotes is the number of notes on single lines; further ones are counted.
	maxNotes = 50

	// maxFiles bounds the files of a folder: three for each of 5,000 switches.
	maxFiles = 16384

	// quoted is the length of a quotation in a message, in characters.
	quoted = 60
)

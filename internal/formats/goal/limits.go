package goal

// maxRanks is more than any cluster has; a rank costs memory before it has operations.
const maxRanks = 1 << 20

// maxBinary is a file whose places 32 bits number: 25 million operations.
const maxBinary = 1 << 30

// maxNumber keeps times and sizes within 63 bits of picoseconds and bytes.
const maxNumber = 1 << 50

// nanosecond is what LogGOPSim's times count in: its README gives host end times so.
const nanosecond = 1000

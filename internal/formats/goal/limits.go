package goal

// maxRanks is more than any cluster has; a rank costs memory before it has operations.
const maxRanks = 1 << 20

// maxBinary bounds a file so that 32 bits can number its bytes: 25 million operations.
const maxBinary = 1 << 30

// maxNumber keeps times and sizes within 63 bits of picoseconds and bytes.
const maxNumber = 1 << 50

// nanosecond is the unit of LogGOPSim's times: its README gives host end times in nanoseconds.
const nanosecond = 1000

package router

const (
	// maxFile bounds a file in bytes: a full configuration of FRR with its route maps has less than 1 MiB.
	maxFile = 8 << 20
	// maxFiles bounds the files of a folder that are read here: a few of each of the switches of the largest fabrics.
	maxFiles = 16384
	// mostPaths is the largest number that FRR takes for maximum-paths in any build: MULTIPATH_NUM is at most 65535.
	mostPaths = 65535
)

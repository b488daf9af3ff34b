package runstore

// All bounds of this package, each with its reason: anybody may have filled a folder that is read.
const (
	// mostMeta bounds meta.json, which has the command line and a line for each file.
	mostMeta = 8 << 20
	// mostFile bounds each other file of a run: the results of the 57 simulations of a comparison have 0.8 MB.
	mostFile = 64 << 20
	// mostText bounds the files of a viewer and a run.
	mostText = 1 << 16
)

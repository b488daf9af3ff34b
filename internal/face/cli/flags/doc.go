// Package flags has the flags that many verbs share, and errors about flags.
//
// # Files
//
//   - arguments.go: the number of a verb's arguments; verbs that have sub-verbs
//   - fileflags.go: flags for files and folders of output
//   - quantity.go, workers.go: flags with units; the number of cores
//   - flagerror.go: what would be valid, and why a verb lacks a flag that others have
package flags

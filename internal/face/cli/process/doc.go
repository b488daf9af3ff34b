// Package process is what a verb takes from the process around it: arguments, streams, files,
// the terminal and the clock, in one value, [Env], so that the whole command line runs in a test.
// It knows neither verbs nor scenarios.
//
// # Files
//
//   - env.go: Env, the beginning and the end of a command, and how documents are printed
//   - input.go: files and standard input, which end with the command
//   - outfile.go, ownfolder.go: files that appear only when complete; the folder of --out
//   - printable.go, terminal.go, status.go: streams for terminals, and the line of progress
//   - document.go: the object that --json prints
package process

// Package exit has the exit codes of weft, which scripts depend on, and errors that carry one. An
// error without a code is bad input.
package exit

// Package source is shared by the readers of other tools' workload files. It has the result of
// reading, with the assumptions that the format makes necessary, and the problem that stops a
// reader, with its place.
//
// A reader is strict. It stops at the first invalid text. It returns the place, the text and the
// valid values, together with the workload up to there.
package source

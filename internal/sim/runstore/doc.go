// Package runstore is a run as a folder: the resolved scenario, the results (package results), and
// the versions that made the run.
//
//	scenario.yaml  the resolved scenario; running it again gives the same results
//	results.json   the results
//	report.html    one self-contained page
//	series/        links, messages and steps over time, on request; package seriesfile writes them
//	meta.json      versions, command, seed, wall time, events, and the digests of the
//	               catalog and of the other files
//
// The folder is tried before the run (Claim): an empty folder and an earlier run are
// taken; a folder with other files, or with the lock of another process, is refused. After
// the run the files are written into a folder beside it, which is then renamed. Into a
// folder that exists they are moved one by one, meta.json last, so that Claim sees where a
// process was killed. Until then the staging folder has the progress of the run, and the
// requests of those who watch it (InProgress, Ask).
package runstore

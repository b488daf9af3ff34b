package evidence

import (
	"slices"

	"weft/internal/formats/logfile"
	"weft/internal/formats/pairs"
)

// Aside is a table that is not compared with a prediction, because other tables of the same kind are: a prediction of all of
// them together would explain what none of them has.
type Aside struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Slow says that it is of a slow node or pair; otherwise it is of the log before a change.
	Slow bool `json:"slow,omitempty"`
}

// Compared is the log without the tables that are set aside: those of slow nodes and pairs among many, and those of the first
// log if the second differs from it. If nothing remains, it is the log itself, and nothing is set aside.
func (e *Evidence) Compared(log *logfile.Log) *logfile.Log {
	out := *log
	out.Tables = nil
	e.Aside = nil
	for _, t := range log.Tables {
		name := t.File
		if name == "" {
			name = log.Name
		}
		before := e.before(name)
		if !before && !slices.Contains(e.slow, logfile.Note{File: name, Line: t.Line}) {
			out.Tables = append(out.Tables, t)
			continue
		}
		e.Aside = append(e.Aside, Aside{name, t.Line, !before})
	}
	if len(out.Tables) == 0 {
		e.Aside = nil
		return log
	}
	if e.Changes == nil || !e.before(e.Changes.Before) {
		return &out
	}
	out.Name = e.Changes.After
	out.Notes = slices.DeleteFunc(slices.Clone(log.Notes), func(n logfile.Note) bool { return e.before(n.File) })
	out.Said.Warnings = slices.DeleteFunc(slices.Clone(log.Said.Warnings), func(n logfile.Note) bool { return e.before(n.File) })
	out.Said.Settings = slices.DeleteFunc(slices.Clone(log.Said.Settings), func(s logfile.Setting) bool { return e.before(s.File) })
	out.Said.Signs = slices.DeleteFunc(slices.Clone(log.Said.Signs), func(s logfile.Sign) bool { return e.before(s.File) })
	return &out
}

// before reports whether a file is the log before a change.
func (e *Evidence) before(file string) bool {
	return e.Changes != nil && file == e.Changes.Before && slices.ContainsFunc(e.Changes.Sizes, func(c logfile.Change) bool { return c.Changed })
}

// slowOf are the places of the pairs of a log that are slow, or of a slow node.
func slowOf(own []pairs.Pair, judged ...*pairs.Judged) (out []logfile.Note) {
	for _, p := range own {
		for _, j := range judged {
			if j == nil || j.Latency != (p.Micros > 0) {
				continue
			}
			node := slices.ContainsFunc(j.SlowNodes, func(n pairs.Node) bool { return n.Name == p.From || n.Name == p.To })
			pair := slices.ContainsFunc(j.SlowPairs, func(s pairs.Pair) bool { return s.From == p.From && s.To == p.To })
			if node || pair {
				out = append(out, logfile.Note{File: p.File, Line: p.Line})
			}
		}
	}
	return out
}

package logfile

import "slices"

// run is what holds for the tables between two command lines, or between two runs of a test.
type run struct {
	settings []Setting
	measured bool // a table of it has begun
}

// begin begins a run, for which some settings hold already.
func (b *builder) begin(with []Setting) { b.run = &run{settings: slices.Clone(with)} }

// again begins a further run of the last command line, if the last one has a table.
func (b *builder) again() {
	if b.run.measured {
		b.begin(b.base)
	}
}

// setting keeps a setting of the current run. Words are the log's.
func (b *builder) setting(line int, name, value, words string) {
	b.run.settings = setIn(b.run.settings, line, name, value)
	b.Said.set(line, name, value)
	b.Said.choose(line, name, value, words)
}

// settle gives each table the settings of its run.
func (b *builder) settle() {
	for i, t := range b.Tables {
		for _, s := range b.runs[i].settings {
			if len(t.Settings) < 2*maxSettings {
				t.Settings = append(t.Settings, s)
			}
		}
		slices.SortStableFunc(t.Settings, func(x, y Setting) int { return x.Line - y.Line })
	}
}

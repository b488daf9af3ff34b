package infiniband

import (
	"fmt"
	"io"
	"path/filepath"

	"weft/internal/base/packed"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/ib/format"
	"weft/internal/ib/subnet"
)

// fabricFile is an InfiniBand subnet from a file.
type fabricFile struct {
	subnet *subnet.Subnet
	format format.Format
	report *format.Report
}

// scenarioFormat is the name of the format of a fabric from a scenario.
const scenarioFormat format.Format = "scenario"

// readFabric reads a file that describes a subnet, in any known format; - is standard input. For a
// scenario (.yaml, .yml) it is the first InfiniBand fabric. It prints the reader's remarks on
// standard error.
func readFabric(e *process.Env, path string, o format.Options) (fabricFile, error) {
	if overrides.NamesScenario(path) {
		var c overrides.Flags // the scenario itself
		r, err := c.Load(e, path)
		if err != nil {
			return fabricFile{}, err
		}
		s, err := subnetOf(r)
		return fabricFile{s, scenarioFormat, &format.Report{}}, err
	}
	in, err := openFabric(e, path)
	if err != nil {
		return fabricFile{}, err
	}
	defer in.Close()
	o.Open = func(name string) (io.ReadCloser, error) {
		if filepath.IsAbs(name) {
			return e.Open(name)
		}
		return e.Open(filepath.Join(filepath.Dir(path), name))
	}
	s, f, report, err := format.ReadSubnet(path, in, o)
	if err != nil {
		return fabricFile{}, err
	}
	remark(e, report)
	return fabricFile{s, f, report}, nil
}

// remark prints a reader's remarks and skipped lines.
func remark(e *process.Env, r *format.Report) {
	for _, n := range r.Notes {
		fmt.Fprintf(e.Stderr, "%v\n", n)
	}
	if r.MoreNotes > 0 {
		fmt.Fprintf(e.Stderr, "and %d more remarks\n", r.MoreNotes)
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(e.Stderr, "%s:%d: unknown lines that begin with %q were skipped (%d in all)\n", s.File, s.Line, s.What, s.Count)
	}
}

// openFabric opens a file, compressed or not; - is standard input.
func openFabric(e *process.Env, path string) (io.ReadCloser, error) {
	file := io.NopCloser(e.Stdin)
	if path != "-" {
		f, err := e.Open(path)
		if err != nil {
			return nil, process.CannotRead(path, err)
		}
		file = f
	}
	return packed.Undo(path, file)
}

package counters

import (
	"path/filepath"
	"regexp"
	"strings"

	"weft/internal/base/portstate"
)

// fecBin is a row of the histogram: a number of symbol errors in a codeword.
var fecBin = regexp.MustCompile(`^BIN([0-9]|1[0-9])$`)

// portIn finds the port in a command or in the name of a file.
var portIn = regexp.MustCompile(`Ethernet(?:-BP)?[0-9]+(?:/[0-9]+)*`)

// readFECHistogram reads show interfaces counters fec-histogram PORT (sonic-utilities, tests/portstat_test.py): the
// codewords with 0, 1 … 15 symbol errors. RS(544,514) corrects 15. The output does not name its port: the command
// behind a prompt does, or the name of the file.
func readFECHistogram(in *portstate.Input) {
	var reading *portstate.Reading
	rows(in, func(r row) {
		if name := r.get("IFACE"); name != "" { // of all ports: a row each, with a column for each number of errors
			reading := in.Reading(switchPort(in, r, name))
			for i, column := range r.columns {
				if fecBin.MatchString(column) {
					count(in, reading, "FEC "+column, r.cells[i])
				}
			}
			return
		}
		bin := r.cells[0]
		if r.columns[0] != "Symbol Errors Per Codeword" || !fecBin.MatchString(bin) {
			return
		}
		if reading == nil || bin == "BIN0" {
			reading = in.Reading(switchPort(in, r, portOfCommand(in)))
		}
		count(in, reading, "FEC "+bin, r.get("Codewords"))
	})
}

// portOfCommand is the port of an output that does not name it.
func portOfCommand(in *portstate.Input) string {
	name := portIn.FindString(in.Shell)
	if name == "" {
		name = portIn.FindString(filepath.Base(in.Name))
	}
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(in.Name), filepath.Ext(in.Name))
		in.Note("the output does not name its port, which is called %s: keep the prompt with the command, or name the file after the port", name)
	}
	return name
}

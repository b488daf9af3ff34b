package counters

import (
	"strings"

	"weft/internal/base/portstate"
)

// error_thresholds has lines Counter=value (rdma-core, infiniband-diags/etc/error_thresholds). As
// shipped, every line is a comment and no threshold is set.

func isThresholds(text string) bool {
	return hasLine(text, func(line string) bool {
		name, value, ok := strings.Cut(strings.TrimLeft(line, "# "), "=")
		_, _, known := counterName(name)
		_, isCount, _ := portstate.ParseCount(value)
		return ok && known && isCount && !strings.Contains(name, " ")
	})
}

func readThresholds(in *portstate.Input) {
	set := 0
	for line := range in.Lines() {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		tool, value, _ := strings.Cut(line, "=")
		name, _, known := counterName(strings.TrimSpace(tool))
		n, ok, _ := portstate.ParseCount(value)
		if !known || !ok {
			in.Note("%q is no threshold: expected Counter=number, such as SymbolErrorCounter=10", short(line))
			continue
		}
		in.Set.Thresholds[name] = n
		set++
	}
	if set == 0 {
		in.Set.Notes = append(in.Set.Notes, in.Name+": every line is a comment, no threshold is set")
	}
}

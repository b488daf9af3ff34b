package counters

import (
	"strings"

	"weft/internal/base/portstate"
)

// Readers are the readers of this package. The first that knows a text reads it.
var Readers = []portstate.Reader{
	{Name: "ibdiagnet2.db_csv", What: "ibdiagnet2.db_csv", Is: isDB, Read: readDB},
	{Name: "ibdiagnet2.net_dump_ext", What: "ibdiagnet2.net_dump_ext", Is: isNetDumpExt, Read: readNetDumpExt},
	{Name: "ibdiagnet2.net_dump", What: "ibdiagnet2.net_dump", Is: isNetDump, Read: readNetDump},
	{Name: "ibdiagnet2.pm", What: "ibdiagnet2.pm", Is: isPM, Read: readPM},
	{Name: "ibdiagnet2.cables", What: "ibdiagnet2.cables", Is: isCables, Read: readCables},
	{Name: "ibqueryerrors", What: "ibqueryerrors (with the report option and --data, too)", Is: isQueryErrors, Read: readQueryErrors},
	{Name: "perfquery", What: "perfquery -x (-l, -a, -E; twice for rates)", Is: isPerfQuery, Read: readPerfQuery},
	{Name: "ibswinfo", What: "ibswinfo", Is: isSwitchInfo, Read: readSwitchInfo},
	{Name: "iblinkinfo", What: "iblinkinfo (-l, -p)", Is: isLinkInfo, Read: readLinkInfo},
	{Name: "error_thresholds", What: "error_thresholds", Is: isThresholds, Read: readThresholds},
	{Name: "UFM", What: "UFM's JSON of ports, links, events, unhealthy ports, telemetry", Is: isUFM, Read: readUFM},
	{Name: "osm.log", What: "osm.log of OpenSM", Is: isOpenSMLog, Read: readOpenSMLog},
	{Name: "node-name-map", What: "node-name-map", Is: isNodeNames, Read: readNodeNames},
}

// headSize is how much of a text decides about its kind.
const headSize = 64 << 10

// head is the beginning of a text.
func head(text string) string { return text[:min(len(text), headSize)] }

// hasLine reports whether a line of the text's beginning fits.
func hasLine(text string, fits func(line string) bool) bool {
	for line := range strings.SplitSeq(strings.TrimPrefix(head(text), "\ufeff"), "\n") {
		if fits(strings.TrimRight(line, "\r")) {
			return true
		}
	}
	return false
}

// firstLine is the first line that is not blank.
func firstLine(text string) string {
	first := ""
	hasLine(text, func(line string) bool {
		first = strings.TrimSpace(line)
		return first != ""
	})
	return first
}

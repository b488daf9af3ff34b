package counters

import (
	"regexp"
	"strings"

	"weft/internal/base/portstate"
)

// dotted is a line of a counter: its name, dots, its value.
var dotted = regexp.MustCompile(`^([A-Z][A-Za-z0-9 -]*[A-Za-z0-9])\.{3,} *(.*)$`)

// detailedCounters are the counters of show interfaces counters detailed that are kept, and as the table calls them. The
// packets by their length are not kept. Nor is "Overruns Received": SONiC prints the IP packets received there
// (SAI_PORT_STAT_IP_IN_RECEIVES in utilities_common/portstat.py).
var detailedCounters = map[string]string{
	"Total Packets Received Without Errors":  "RX_OK",
	"Total Packets Transmitted Successfully": "TX_OK",
	"Jabbers Received":                       "jabbers",
	"Fragments Received":                     "fragments",
	"Undersize Received":                     "undersize",
	"WRED Green Dropped Packets":             "WRED green drops",
	"WRED Yellow Dropped Packets":            "WRED yellow drops",
	"WRED Red Dropped Packets":               "WRED red drops",
	"Trimmed Packets":                        "TRIM",
	"Trimmed Sent Packets":                   "TRIM_TX",
	"Trimmed Dropped Packets":                "TRIM_DRP",
}

// firstDetail is the first line of a port.
const firstDetail = "Packets Received 64 Octets"

// isDetailed recognises show interfaces counters detailed PORT by its first line.
func isDetailed(text string) bool {
	return hasLine(text, func(line string) bool {
		m := dotted.FindStringSubmatch(line)
		return len(m) > 1 && (m[1] == firstDetail || m[1] == "Total Packets Received Without Errors")
	})
}

// readDetailed reads show interfaces counters detailed PORT (sonic-utilities, tests/portstat_test.py): a line for each
// counter. The output does not name its port: the command behind a prompt does, or the name of the file.
func readDetailed(in *portstate.Input) {
	var reading *portstate.Reading
	command := ""
	for line := range lines(in) {
		m := dotted.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name, value := m[1], strings.TrimSpace(m[2])
		if reading == nil || name == firstDetail || in.Shell != command {
			reading, command = in.Reading(switchPort(in, row{}, portOfCommand(in))), in.Shell
		}
		if kept, ok := detailedCounters[name]; ok {
			count(in, reading, kept, value)
		}
	}
}

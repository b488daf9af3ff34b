package counters

import (
	"fmt"
	"strings"

	"weft/internal/base/portstate"
)

// readPFC reads show pfc counters (tests/pfcstat_test.py): two tables, of received and of sent frames of
// each priority. The name of the table stands where the column of ports has its name.
func readPFC(in *portstate.Input) {
	rows(in, func(r row) {
		var direction string
		switch r.columns[0] {
		case "Port Rx":
			direction = "Rx"
		case "Port Tx":
			direction = "Tx"
		default:
			return
		}
		reading := in.Reading(switchPort(in, r, r.cells[0]))
		for i, column := range r.columns[1:] {
			if strings.HasPrefix(column, "PFC") {
				count(in, reading, column+" "+direction, r.cells[i+1])
			}
		}
	})
}

// readPFCHistory reads show pfc counters --history (sonic-utilities, scripts/pfcstat): how often each priority of a port
// was paused, and how long in all, in µs. The rows of a port follow each other.
func readPFCHistory(in *portstate.Input) {
	var reading *portstate.Reading
	rows(in, func(r row) {
		priority := r.get("Priority")
		if !strings.HasPrefix(priority, "PFC") {
			return
		}
		if p := switchPort(in, r, r.get("Port")); reading == nil || reading.Port != p {
			reading = in.Reading(p)
		}
		count(in, reading, "pauses received "+priority, r.get("RX Pause Transitions"))
		count(in, reading, "pause time "+priority, r.get("Total RX Pause Time US"))
	})
}

// readQueues reads show queue counters: a table for each port. UC are queues of unicast, MC of
// multicast; ALL are queues of both, N/A on switches that tell them apart.
func readQueues(in *portstate.Input) {
	readings := map[string]*portstate.Reading{}
	rows(in, func(r row) {
		queue := r.get("TxQ") + r.get("Voq")
		if queue == "" {
			return
		}
		p := switchPort(in, r, r.get("Port"))
		reading := readings[p.String()]
		if reading == nil {
			reading = in.Reading(p)
			readings[p.String()] = reading
		}
		for _, c := range queueCounters {
			if text := r.get(c.column); text != "" {
				count(in, reading, fmt.Sprintf("queue %s %s", queue, c.what), text)
			}
		}
	})
}

// queueCounters are the counters of a queue: by their column, by their member of JSON, and as this package calls them.
var queueCounters = []struct{ column, member, what string }{
	{"Counter/pkts", "totalpacket", "packets"},
	{"Drop/pkts", "droppacket", "dropped packets"},
	{"Credit-WD-Del/pkts", "creditWDPkts", "packets deleted by the credit watchdog"},
}

func isWatermark(text string) bool {
	return hasLine(text, func(line string) bool {
		return strings.Contains(line, "occupancy per") || strings.Contains(line, "headroom per PG") || strings.Contains(line, "PG dropped packets") || strings.Contains(line, "watermark") && strings.Contains(line, "Namespace")
	})
}

// readWatermark reads the watermarks of queues and priority groups, bytes of buffer; and the packets that
// priority groups dropped. The title above the table says which.
func readWatermark(in *portstate.Input) {
	rows(in, func(r row) {
		if r.columns[0] == "Port" {
			watermarkRow(in, r)
		}
	})
}

// watermarkRow reads the cells of a port, whose name is the first of them.
func watermarkRow(in *portstate.Input, r row) {
	reading := in.Reading(switchPort(in, r, r.cells[0]))
	for i, column := range r.columns[1:] {
		if r.cells[i+1] != "" {
			name := "watermark " + column
			if strings.Contains(r.title, "dropped packets") {
				name = "queue " + column + " dropped packets"
			}
			count(in, reading, name, r.cells[i+1])
		}
	}
}

package counters

import (
	"strconv"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
	"weft/internal/base/wording"
)

// ibqueryerrors prints (rdma-core, infiniband-diags/ibqueryerrors.c):
//
//	Errors for 0x2c903006e00b0 "MF0;sw1:SX6036/U1"
//	   GUID 0x2c903006e00b0 port ALL: [LinkDownedCounter == 48]
//	   GUID 0x2c903006e00b0 port 1: [LinkDownedCounter == 8] [PortXmitWait == 4294967295]
//	       Link info:      4   1[  ] ==( 4X 25.78125 Gbps Active/ LinkUp)==>  0x… 5 1[  ] "h1" ( )
//	## Summary: 4 nodes checked, 4 bad nodes found
//	##          43 ports checked, 14 ports have errors beyond threshold
//	## Thresholds: [SymbolErrorCounter = 10]
//	## Suppressed: PortXmitWait
//
// A counter with its value in short form behind it, (65.535K), has 64 bits.

func isQueryErrors(text string) bool {
	return hasLine(text, func(line string) bool {
		return strings.HasPrefix(line, "Errors for ") || strings.HasPrefix(line, "Data Counters for ") ||
			strings.HasPrefix(line, "## Summary: ") && strings.Contains(line, "nodes checked")
	})
}

// listed are the counters that ibqueryerrors prints if they are not 0 and nothing suppresses them.
var listed = []string{
	"SymbolErrorCounter", "LinkErrorRecoveryCounter", "LinkDownedCounter", "PortRcvErrors", "PortRcvRemotePhysicalErrors",
	"PortRcvSwitchRelayErrors", "PortXmitDiscards", "PortXmitConstraintErrors", "PortRcvConstraintErrors",
	"LocalLinkIntegrityErrors", "ExcessiveBufferOverrunErrors", "VL15Dropped", "PortXmitWait",
}

type queryErrors struct {
	*portstate.Input
	device  string
	role    cabling.Role
	last    *portstate.Reading
	rows    []*portstate.Reading
	errors  bool // the current block lists errors; else data counters
	checked int
	nodes   string // the summary's count of nodes
	summary bool
	hidden  map[string]bool // counters with a threshold, or suppressed: not listed is not 0
}

func readQueryErrors(in *portstate.Input) {
	q := &queryErrors{Input: in, hidden: map[string]bool{}}
	for line := range in.Lines() {
		q.line(line)
	}
	if !q.summary {
		in.Note("the output of ibqueryerrors ends before its summary: it may be truncated")
	}
	q.zeros()
	if q.summary && q.checked > len(q.rows) {
		in.Set.Unlisted += q.checked - len(q.rows)
	}
}

func (q *queryErrors) line(line string) {
	trimmed := strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(line, "Errors for "):
		q.head(line[len("Errors for "):], true)
	case strings.HasPrefix(line, "Data Counters for "):
		q.head(line[len("Data Counters for "):], false)
	case strings.HasPrefix(trimmed, "GUID 0x") && strings.Contains(trimmed, " port "):
		q.port(trimmed)
	case strings.HasPrefix(trimmed, "Link info:"):
		q.link(line)
	case strings.HasPrefix(line, "## Summary:"):
		q.summary = true
		q.nodes = strings.TrimSpace(strings.TrimPrefix(line, "## Summary:"))
	case strings.HasPrefix(line, "##") && strings.Contains(line, "ports checked"):
		if words := strings.Fields(line); len(words) > 1 {
			q.checked, _ = strconv.Atoi(words[1])
			q.Set.Remarks = append(q.Set.Remarks, portstate.Say(q.Input, "ibqueryerrors: "+short(q.nodes)+", "+short(strings.TrimLeft(line, "# "))))
		}
	case strings.HasPrefix(line, "## Thresholds:"), strings.HasPrefix(line, "## Suppressed:"):
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" []=:#", r) }) {
			q.hidden[word] = true
		}
	}
}

// head reads 0x2c903006e00b0 "name" of a switch, or "name" of an adapter.
func (q *queryErrors) head(text string, errors bool) {
	q.role, q.last, q.errors = cabling.Host, nil, errors
	if strings.HasPrefix(text, "0x") && errors {
		q.role = cabling.Switch
	}
	if !errors {
		q.role = cabling.Unknown // data counters have the GUID of an adapter, too
	}
	_, name, ok := strings.Cut(text, `"`)
	if !ok {
		q.Note("expected the name of a node in quotes, not %q", short(text))
	}
	q.device = strings.TrimSuffix(name, `"`)
}

// port reads GUID 0x2c903006e00b0 port 1: [LinkDownedCounter == 8] ….
func (q *queryErrors) port(text string) {
	words := strings.SplitN(text, " ", 5)
	if len(words) < 4 {
		q.Note("expected a GUID, a port and counters, not %q", short(text))
		return
	}
	guid, okGUID := portstate.ParseGUID(words[1])
	number := strings.TrimSuffix(words[3], ":")
	q.last = nil
	if number == "ALL" || number == "255" {
		return // the sum of a switch's ports
	}
	n, err := strconv.Atoi(number)
	if err != nil || !okGUID || n < 0 || n > maxPort {
		q.Note("expected a GUID and the number of a port, not %q", short(text))
		return
	}
	p := portstate.Port{GUID: guid, Device: q.device, Number: n, Role: q.role}
	if q.role == cabling.Switch {
		p.Node = guid // of port 0, which is the node's on all but directors
	}
	r := q.Reading(p)
	q.last = r
	if q.errors {
		q.rows = append(q.rows, r)
	}
	rest := ""
	if len(words) == 5 {
		rest = words[4]
	}
	q.counters(r, rest)
}

// counters reads [SymbolErrorCounter == 8] [PortXmitData == 65535 (64.00K)].
func (q *queryErrors) counters(r *portstate.Reading, text string) {
	for text != "" {
		_, rest, ok := strings.Cut(text, "[")
		if !ok {
			return
		}
		item, after, ok := strings.Cut(rest, "]")
		if !ok {
			q.Note("the line ends within a counter of %s: it is truncated", r.Port)
			return
		}
		text = after
		tool, value, ok := strings.Cut(item, " == ")
		if tool = strings.TrimSpace(tool); !ok || tool == "" {
			q.Note("expected a counter as in [LinkDownedCounter == 8], not %q", short(item))
			continue
		}
		value, human, _ := strings.Cut(value, " ")
		name, extended, known := counterName(tool)
		if !known {
			name = tool
		}
		count(q.Input, r, name, value, extended || human != "")
	}
}

// link reads the line of the report option, which has the form of iblinkinfo.
func (q *queryErrors) link(line string) {
	if q.last == nil {
		return
	}
	_, rest, _ := strings.Cut(line, "Link info:")
	row, ok := parseLinkRow(rest)
	if !ok {
		q.Note("expected a link as iblinkinfo prints it, not %q", short(rest))
		return
	}
	row.into(q.Input, q.last)
}

// zeros adds the counters that were not printed: they are 0 unless a threshold or the suppression
// hides them.
func (q *queryErrors) zeros() {
	if !q.summary { // the thresholds are not known
		return
	}
	for _, r := range q.rows {
		has := map[string]bool{}
		for _, c := range r.Counters {
			has[c.Name] = true
		}
		for _, name := range listed {
			if !has[name] && !q.hidden[name] {
				r.Count(name, 0, false, r.At)
			}
		}
	}
}

// maxPort is the highest number of a port (IBA vol. 1, 14.2.5.10); 255 stands for all ports.
const maxPort = 254

// short is a quotation of bounded length.
func short(text string) string { return wording.Abridged(strings.TrimSpace(text), 60) }

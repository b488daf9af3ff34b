package pairs

import (
	"strings"

	"weft/internal/formats/logfile"
)

// FromLog is the pairs of a log's tables: of perftest, the OSU Micro-Benchmarks and ucx_perftest, if the command line names
// both ends; of nccl-tests, if the list of devices has two nodes. The value is the best of the table. A table whose client
// is not in the log gives no pair, since no node can be told from it.
func FromLog(l *logfile.Log) *Set {
	s := &Set{}
	for _, t := range l.Tables {
		from, to := endsOf(t)
		if from == "" || to == "" || from == to || len(s.Pairs) == maxPairs {
			continue
		}
		p := Pair{File: t.File, Line: t.Line, From: from, To: to, together: t.Bidirectional}
		if p.File == "" {
			p.File = l.Name
		}
		for _, row := range t.Rows {
			switch {
			case t.Latency && row.Micros > 0 && (p.Micros == 0 || row.Micros < p.Micros):
				p.Micros = row.Micros
			case !t.Latency:
				p.Gbps = max(p.Gbps, row.Gbps, row.BusGBps*8)
			}
		}
		if p.Gbps > 0 || p.Micros > 0 {
			s.Pairs = append(s.Pairs, p)
		}
	}
	return s
}

// endsOf are the two nodes of a table, "" if they are not known.
func endsOf(t *logfile.Table) (from, to string) {
	if t.Format == logfile.NCCLTests {
		if len(t.Hosts) == 2 {
			return t.Hosts[0], t.Hosts[1]
		}
		return "", ""
	}
	if server, ok := t.Setting("server"); ok {
		client, _ := t.Setting("client")
		return client.Value, server.Value
	}
	if hosts, ok := t.Setting("--host"); ok {
		if a, b, two := strings.Cut(hosts.Value, ","); two && !strings.Contains(b, ",") {
			a, _, _ = strings.Cut(a, ":")
			b, _, _ = strings.Cut(b, ":")
			return a, b
		}
	}
	return "", ""
}

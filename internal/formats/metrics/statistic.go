package metrics

import (
	"fmt"
	"strings"
)

// Statistic is a line of the hardware counters of a port, as "rdma statistic" of iproute2 prints them.
func (p *Port) Statistic() string {
	var b strings.Builder
	fmt.Fprintf(&b, "link %s/%d", p.Device, p.Number)
	for i := range Rows {
		r := &Rows[i]
		if name, hardware := strings.CutPrefix(r.Counter, "hw_counters/"); hardware && strings.HasPrefix(p.Protocol, r.Only) {
			fmt.Fprintf(&b, " %s %.0f", name, r.port(p, 0))
		}
	}
	return b.String()
}

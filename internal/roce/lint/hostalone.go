package lint

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weft/internal/roce/host"
)

// gids judges which GID the host's programs take.
func (c *checker) gids(h *host.Host) {
	for _, f := range h.GIDFaults() {
		by := "by the order in which Linux fills the table, of each address RoCE v1 first (show_gids tells it)"
		if f.Shown {
			by = "by the host's own setting"
		}
		g := Finding{Rule: "gid-v1", Severity: Error, At: Place(f.At), Value: f.Value}
		switch {
		case f.LinkLocal:
			if !f.Shown {
				g.Severity = Warning
			}
			g.Why = fmt.Sprintf("%s on %s takes the address of the link, fe80::, %s: no router forwards it, so connections end at the first routed hop, and on adapters with another order it is RoCE v1", f.Program.Name, h.Name, by)
		default:
			g.Why = fmt.Sprintf("%s on %s takes RoCE v1, %s: its packets have no IP header, so no DSCP and no ECN; switches have them in the class of untagged frames, without PFC, and no router forwards them", f.Program.Name, h.Name, by)
		}
		switch {
		case strings.HasPrefix(f.Value, f.Program.GID+"=") && f.Right >= 0:
			g.Fixes = []Fix{{h.Name, []string{fmt.Sprintf("%s=%d", f.Program.GID, f.Right)}}}
		case f.Program.Version != "" && strings.HasPrefix(f.Value, f.Program.Version+"="):
			g.Fixes = []Fix{{h.Name, []string{f.Program.Version + "=2"}}}
		}
		c.add(nil, g)
	}
	if h.CMVersion.Value == "v1" {
		c.add(nil, Finding{
			Rule: "gid-v1", Severity: Error, At: Place(h.CMVersion.At), Value: "default_roce_mode IB/RoCE v1",
			Why:   fmt.Sprintf("RDMA CM on %s takes RoCE v1 for its connections: its packets have no IP header, so no DSCP and no ECN, and no router forwards them", h.Name),
			Fixes: []Fix{{h.Name, []string{`echo "RoCE v2" > /sys/kernel/config/rdma_cm/$DEV/ports/1/default_roce_mode`}}},
		})
	}
}

// losses are the counters of an adapter that count lost packets, or what a loss leads to (Linux,
// mlx5, counters.rst; rdma-core's and NVIDIA's pages on hw_counters).
var losses = []struct {
	name     *regexp.Regexp // its number, if it has one, is a priority
	severity Severity
	why      string
}{
	{regexp.MustCompile(`^rx_prio([0-7])_(?:discards|buf_discard|cong_discard)$`), Error, "packets of priority %s that PFC protects arrived and were dropped: the adapter's buffer behind its pauses was full, so the pauses came too late for this cable, or the switch does not obey them"},
	{regexp.MustCompile(`^rx_discards_phy$`), Error, "packets arrived and were dropped since the port's buffer was full: pauses came too late for this cable, or the switch does not obey them"},
	{regexp.MustCompile(`^(?:out_of_sequence|packet_seq_err)$`), Warning, "packets of RDMA arrived out of order or not at all, and their window was sent again: something on the way drops them, or sprays them to an adapter that is not told"},
	{regexp.MustCompile(`^local_ack_timeout_err$`), Warning, "queue pairs waited in vain for an acknowledgement and sent again: something on the way drops packets or stands still"},
	{regexp.MustCompile(`^(?:rx_crc_errors_phy|rx_symbol_err_phy|rx_pcs_symbol_err_phy)$`), Warning, "frames with bit errors arrived and were dropped: a dirty or loose cable or transceiver, or FEC that the ends do not share; each costs RDMA a window"},
	{regexp.MustCompile(`^(?:tx_pause_storm_error_events|device_stall_critical)$`), Warning, "the adapter itself stood still and paused the switch for so long that its own guard cut it off: look for what keeps it from its memory (PCIe, IOMMU, a hung GPU)"},
	{regexp.MustCompile(`^tx_discards_phy$`), Warning, "packets were dropped on their way out of the adapter"},
}

// drops judges the host's counters.
func (c *checker) drops(h *host.Host) {
	for _, name := range slices.Sorted(maps.Keys(h.Counters)) {
		n := h.Counters[name]
		if n.Value <= 0 {
			continue
		}
		for _, l := range losses {
			m := l.name.FindStringSubmatch(name)
			if len(m) == 0 || len(m) > 1 && !protects(h, m[1]) {
				continue
			}
			why := l.why
			if len(m) > 1 {
				why = fmt.Sprintf(why, m[1])
			}
			c.add(nil, Finding{
				Rule: "drops", Severity: l.severity, At: Place(n.At), Value: fmt.Sprintf("%s %d", name, n.Value),
				Why: fmt.Sprintf("%s on %s is %d since the driver was loaded: %s. No line of configuration takes it back: mend the other findings, and look whether it still grows", name, h.Name, n.Value, why),
			})
		}
	}
}

// protects reports whether a priority of the host has PFC, or traffic of RDMA.
func protects(h *host.Host, priority string) bool {
	n, _ := strconv.Atoi(priority)
	return slices.Contains(h.PFC.Value, n) || slices.ContainsFunc(h.Streams(), func(s host.Stream) bool { return h.PriorityOf(s.DSCP) == n })
}

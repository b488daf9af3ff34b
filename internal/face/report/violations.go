package report

import (
	"fmt"

	"weft/internal/sim/protocol"
	"weft/results"
	"weft/units"
)

// violationLines is the number of a point's traps that are written out; the others are counted.
const violationLines = 8

// violations are the traps about keys that a Subnet Manager received, or the packets that Ethernet
// switches kept out of a VRF, and the messages that therefore never arrived.
func violations(r *results.Results) (lines []string) {
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		for j := range f.Points {
			p := &f.Points[j]
			if len(p.Violations) == 0 {
				continue
			}
			why, packets := discardedFor(p)
			lines = append(lines, fmt.Sprintf("%s%s: %s discarded %s; %s barred",
				quoted(f.Name), atSize(p.Bytes), plural(packets, "packet", "packets"), why, plural(p.Counts.MessagesBarred, "message was", "messages were")))
			for k, v := range p.Violations {
				if k == violationLines {
					lines = append(lines, fmt.Sprintf("  and %d traps more", len(p.Violations)-k))
					break
				}
				lines = append(lines, "  "+trapText(&v))
			}
			if p.Traps != nil {
				lines = append(lines, "  "+trapsText(p.Traps))
			}
		}
	}
	return lines
}

// discardedFor is the reason for discarded packets of a point, and their number.
func discardedFor(p *results.Point) (why string, packets int64) {
	const qkeys = "for Q_Keys that are not their receivers'"
	c := &p.Counts
	switch {
	case p.Violations[0].FromVRF != "":
		return "without a route between VRFs", c.DroppedSegment
	case c.DroppedPKey == 0:
		return qkeys, c.DroppedQKey
	case c.DroppedQKey > 0:
		return fmt.Sprintf("for P_Keys of other partitions and %d %s", c.DroppedQKey, qkeys), c.DroppedPKey
	}
	return "for P_Keys of other partitions", c.DroppedPKey
}

func atSize(bytes int64) string {
	if bytes == 0 {
		return ""
	}
	return " at " + sizeText(bytes)
}

// trapText describes a trap with the fields of its notice, or a packet kept out of a VRF.
func trapText(v *results.Violation) string {
	if v.FromVRF != "" {
		return fmt.Sprintf("at %s, first after %s: %s of VRF %s for VRF %s, from %s to %s",
			v.Port, shortTime(units.Time(v.FirstPs)), plural(v.Packets, "packet", "packets"), v.FromVRF, v.ToVRF, v.From, v.To)
	}
	if v.Trap == 0 {
		return fmt.Sprintf("at %s", offence(v, fmt.Sprintf("Q_Key %#08x", v.QKey)))
	}
	if v.QKey != 0 {
		return fmt.Sprintf("trap %d at %s; %s", v.Trap, offence(v, fmt.Sprintf("Q_Key %#08x and SL %d", v.QKey, v.SL)), knownText(v))
	}
	member := "limited"
	if v.PKey&0x8000 != 0 {
		member = "full"
	}
	return fmt.Sprintf("trap %d at %s; %s", v.Trap, offence(v, fmt.Sprintf("P_Key %#04x (%s) and SL %d", v.PKey, member, v.SL)), knownText(v))
}

// offence is the place of discarded packets, and their sender.
func offence(v *results.Violation, key string) string {
	return fmt.Sprintf("%s, first after %s: %s, %s, from %s QP %d to %s QP %d",
		v.Port, shortTime(units.Time(v.FirstPs)), plural(v.Packets, "packet", "packets"), key, v.From, v.FromQP, v.To, v.ToQP)
}

// knownText is the time at which the manager knew of a violation.
func knownText(v *results.Violation) string {
	if units.Time(v.KnownPs) == results.Never {
		return "the manager never knew"
	}
	return fmt.Sprintf("the manager knew %s later", shortTime(units.Time(v.KnownPs-v.FirstPs)))
}

// trapsText is the fate of the traps of a point, and the counters of the ports that sent them.
func trapsText(t *results.Traps) string {
	text := fmt.Sprintf("%s raised, %d repressed, %s; %d merged with a waiting trap, %d lost",
		plural(t.Raised, "trap", "traps"), t.Repressed, plural(t.Sent, "datagram", "datagrams"), t.Merged, t.Lost)
	for i := range t.Ports {
		c := &t.Ports[i]
		if i == violationLines {
			return text + fmt.Sprintf("; counters of %d ports more", len(t.Ports)-i)
		}
		text += "; " + c.Port
		for _, n := range []struct {
			name  string
			count int
		}{
			{"PKeyViolations", c.PKeys},
			{"QKeyViolations", c.QKeys},
			{"PortRcvConstraintErrors", c.RcvConstraint},
			{"PortXmitConstraintErrors", c.XmitConstraint},
		} {
			if n.count > 0 {
				text += fmt.Sprintf(" %s %d", n.name, n.count)
			}
		}
	}
	return text
}

// levels are the messages of each service level or priority, of points that have
// several.
func levels(r *results.Results) (lines []string) {
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		for j := range f.Points {
			p := &f.Points[j]
			for _, l := range p.Levels {
				what := "priority"
				if protocol.Of(f.Protocol).ServiceLevels {
					what = "service level"
				}
				lines = append(lines, fmt.Sprintf("%s%s, %s %d: %s, half of them within %s, all within %s",
					quoted(f.Name), atSize(p.Bytes), what, l.SL, plural(l.Flows.N, "message", "messages"), shortTime(l.Flows.P50), shortTime(l.Flows.Max)))
			}
		}
	}
	return lines
}

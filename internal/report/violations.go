package report

import (
	"fmt"

	"weft/internal/runstore"
	"weft/units"
)

// violationLines is how many traps of a point are written out; the others are
// counted.
const violationLines = 8

// violations are the traps about P_Keys that a Subnet Manager would have got, or what
// Ethernet switches kept out of a VRF, and
// the messages that never arrived for them.
func violations(r *runstore.Results) (lines []string) {
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		for j := range f.Points {
			p := &f.Points[j]
			if len(p.Violations) == 0 {
				continue
			}
			why, packets := "for P_Keys of other partitions", p.Counts.DroppedPKey
			if p.Violations[0].FromVRF != "" {
				why, packets = "without a route between VRFs", p.Counts.DroppedSegment
			}
			lines = append(lines, fmt.Sprintf("%s%s: %s discarded %s; %s barred",
				f.Name, atSize(p.Bytes), plural(packets, "packet", "packets"), why, plural(p.Counts.MessagesBarred, "message was", "messages were")))
			for k, v := range p.Violations {
				if k == violationLines {
					lines = append(lines, fmt.Sprintf("  and %d traps more", len(p.Violations)-k))
					break
				}
				lines = append(lines, "  "+trapText(&v))
			}
		}
	}
	return lines
}

func atSize(bytes int64) string {
	if bytes == 0 {
		return ""
	}
	return " at " + sizeText(bytes)
}

// trapText is a trap in words, with the fields of its notice, or what a VRF kept out.
func trapText(v *runstore.Violation) string {
	if v.FromVRF != "" {
		return fmt.Sprintf("at %s, first after %s: %s of VRF %s for VRF %s, from %s to %s",
			v.Port, shortTime(units.Time(v.FirstPs)), plural(v.Packets, "packet", "packets"), v.FromVRF, v.ToVRF, v.From, v.To)
	}
	member := "limited"
	if v.PKey&0x8000 != 0 {
		member = "full"
	}
	return fmt.Sprintf("trap %d at %s, first after %s: %s, P_Key %#04x (%s) and SL %d, from %s QP %d to %s QP %d",
		v.Trap, v.Port, shortTime(units.Time(v.FirstPs)), plural(v.Packets, "packet", "packets"), v.PKey, member, v.SL, v.From, v.FromQP, v.To, v.ToQP)
}

// levels are the messages of each service level or priority, of points that have
// several.
func levels(r *runstore.Results) (lines []string) {
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		for j := range f.Points {
			p := &f.Points[j]
			for _, l := range p.Levels {
				what := "priority"
				if f.Protocol == infiniband {
					what = "service level"
				}
				lines = append(lines, fmt.Sprintf("%s%s, %s %d: %s, half of them within %s, all within %s",
					f.Name, atSize(p.Bytes), what, l.SL, plural(l.Flows.N, "message", "messages"), shortTime(l.Flows.P50), shortTime(l.Flows.Max)))
			}
		}
	}
	return lines
}

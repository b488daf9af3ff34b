package live

import (
	"fmt"
	"strings"

	"weft/internal/face/cli/exit"
	"weft/internal/face/doc"
	"weft/internal/live/sniff"
	"weft/units"
	"weft/wire"
)

// sniffDocument is the counts of a capture and its flows.
func sniffDocument(path string, t *sniff.Tracker) *doc.Document {
	counts := doc.Integer(t.Packets) + " packets of RoCE v2"
	if t.Other > 0 {
		counts += fmt.Sprintf(", %s others", doc.Integer(t.Other))
		if kinds := foreignCounts(t); kinds != "" {
			counts += " (" + kinds + ": not decoded)"
		}
	}
	if t.Unfollowed > 0 {
		counts += fmt.Sprintf(", %s of flows beyond the limit", doc.Integer(t.Unfollowed))
	}
	if t.Cut > 0 {
		counts += fmt.Sprintf(", %s cut by the capture's snap length (their ICRC is not checked)", doc.Integer(t.Cut))
	}
	if t.Missed > 0 {
		counts += fmt.Sprintf(", and %s frames lost by this capture itself, so gaps may be its own (write a file with tcpdump -B 65536, and read that)", doc.Integer(t.Missed))
	}
	switch found := anomalyCounts(&t.Counts); {
	case found != "":
		counts += ": " + found
	case t.Packets > 0:
		counts += ": nothing unusual"
	}
	d := &doc.Document{
		Brand: "RoCE v2 capture", Title: path, Footer: "Made by weft live sniff. The same capture and version make the same page.",
		Sections: []doc.Section{{Blocks: doc.Paragraphs(counts + ".")}},
	}
	if len(t.Flows()) == 0 {
		return d
	}
	flows := doc.Wrapped("flow", "packets", "payload", "sent again", "what happened")
	for _, f := range t.Flows() {
		found := anomalyCounts(&f.Counts)
		if found == "" {
			found = "nothing unusual"
		}
		flows.Add(doc.Text(flowName(f)), doc.Count(f.Packets), doc.Bytes(units.Bytes(f.Payload)), doc.Bytes(units.Bytes(f.Repeated)), doc.Text(found))
	}
	d.Sections[0].Blocks = append(d.Sections[0].Blocks, flows)
	return d
}

// foreignCounts lists the packets of RDMA that weft does not decode.
func foreignCounts(t *sniff.Tracker) string {
	var kinds []string
	for kind := sniff.InfiniBand; int(kind) < len(t.Foreign); kind++ {
		if n := t.Foreign[kind]; n > 0 {
			kinds = append(kinds, doc.Integer(n)+" of "+kind.String())
		}
	}
	return strings.Join(kinds, ", ")
}

// undecoded is the error of a capture in which nothing was judged.
func undecoded(path string, t *sniff.Tracker) error {
	switch kinds := foreignCounts(t); {
	case t.Packets > 0:
		return nil
	case t.Other == 0:
		return exit.Errorf(exit.NotJudged, "%s has no packet", path)
	case kinds != "":
		return exit.Errorf(exit.NotJudged, "%s has no packet of RoCE v2, so nothing was judged: %s, which weft does not decode (Wireshark does)", path, kinds)
	}
	return exit.Errorf(exit.NotJudged, "%s has no packet of RoCE v2 (UDP port %d) among its %s, so nothing was judged", path, wire.RoCEv2Port, doc.Integer(t.Other))
}

// flowName names the two ends of a flow.
func flowName(f *sniff.Flow) string {
	from := f.Src.String()
	if f.PeerQP != nil {
		from = fmt.Sprintf("%v QP %#x", f.Src, uint32(*f.PeerQP))
	}
	return fmt.Sprintf("%s > %v QP %#x", from, f.Dst, uint32(f.QP))
}

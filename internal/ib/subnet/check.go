package subnet

import (
	"cmp"
	"fmt"

	"weft/internal/base/sorting"
	"weft/units"
)

// FaultKind is the kind of a fault in a subnet.
type FaultKind string

// The kinds of fault.
const (
	DuplicateNodeGUID FaultKind = "duplicate-node-guid" // two nodes with one NodeGUID
	DuplicatePortGUID FaultKind = "duplicate-port-guid" // two ports with one PortGUID
	LIDClash          FaultKind = "lid-clash"           // two ports with the same LID
	BadLID            FaultKind = "bad-lid"             // a LID beyond the unicast range, or not a multiple of 2^LMC
	OneEnded          FaultKind = "one-ended-cable"     // a port whose peer names another port, or none
	LinkMismatch      FaultKind = "link-mismatch"       // ends that report different widths or speeds
)

// Fault is an error that no working subnet has. Subnets from real files can have faults: readers do
// not repair them.
type Fault struct {
	Kind FaultKind
	Ends []End  // the ports concerned; port 0 stands for a node
	Text string // a sentence with their names
}

// Check lists the faults of a subnet, by kind and then in the order of nodes.
func (s *Subnet) Check() []Fault {
	var faults []Fault
	faults = append(faults, s.duplicateNodes()...)
	faults = append(faults, s.duplicatePorts()...)
	faults = append(faults, s.lidFaults()...)
	faults = append(faults, s.cableFaults()...)
	return faults
}

func (s *Subnet) duplicateNodes() []Fault {
	var faults []Fault
	first := make(map[units.GUID]int32, len(s.Nodes))
	for i := range s.Nodes {
		n, node := &s.Nodes[i], int32(i)
		before, twice := first[n.GUID]
		if !twice {
			first[n.GUID] = node
			continue
		}
		if n.GUID == 0 {
			continue // not known
		}
		faults = append(faults, Fault{
			DuplicateNodeGUID,
			[]End{{Node: before}, {Node: node}},
			fmt.Sprintf("%s and %s have the same node GUID %v", s.NodeName(before), s.NodeName(node), n.GUID),
		})
	}
	return faults
}

func (s *Subnet) duplicatePorts() []Fault {
	var faults []Fault
	first := make(map[units.GUID]End, len(s.Nodes))
	var part []int32
	for i := range s.Nodes {
		for j := range s.Nodes[i].Ports {
			e := End{Node: int32(i), Port: uint16(j)}
			guid := s.Port(e).GUID
			if guid == 0 {
				continue
			}
			before, twice := first[guid]
			if !twice {
				first[guid] = e
				continue
			}
			if s.onePort(&part, before, e) {
				continue
			}
			faults = append(faults, Fault{
				DuplicatePortGUID,
				[]End{before, e},
				fmt.Sprintf("%s and %s have the same port GUID %v", s.EndName(before), s.EndName(e), guid),
			})
		}
	}
	return faults
}

// lidFaults compares each port with the port before it in the order of LIDs, and with the
// port whose range of LIDs reaches farthest.
func (s *Subnet) lidFaults() []Fault {
	var faults []Fault
	var ends []End
	for i := range s.Nodes {
		for j := range s.Nodes[i].Ports {
			e := End{Node: int32(i), Port: uint16(j)}
			p := s.Port(e)
			if p.LID == 0 || p.LID == units.PermissiveLID {
				continue // no manager has given it one
			}
			ends = append(ends, e)
			if last := int(p.LID) + 1<<p.LMC - 1; last > int(units.LastUnicastLID) || int(p.LID)%(1<<p.LMC) != 0 {
				faults = append(faults, Fault{
					BadLID,
					[]End{e},
					fmt.Sprintf("%s has LID %d with LMC %d: expected a multiple of %d up to %d", s.EndName(e), p.LID, p.LMC, 1<<p.LMC, units.LastUnicastLID),
				})
			}
		}
	}
	sorting.StableFunc(ends, func(a, b End) int { return cmp.Compare(s.Port(a).LID, s.Port(b).LID) })
	reach, holder := -1, None
	var part []int32
	for _, e := range ends {
		p := s.Port(e)
		if int(p.LID) <= reach && !s.onePort(&part, holder, e) {
			faults = append(faults, Fault{
				LIDClash,
				[]End{holder, e},
				fmt.Sprintf("%s and %s both answer to LID %d", s.EndName(holder), s.EndName(e), p.LID),
			})
		}
		if last := int(p.LID) + 1<<p.LMC - 1; last > reach {
			reach, holder = last, e
		}
	}
	return faults
}

func (s *Subnet) cableFaults() []Fault {
	var faults []Fault
	for i := range s.Nodes {
		for j := range s.Nodes[i].Ports {
			e := End{Node: int32(i), Port: uint16(j)}
			p := s.Port(e)
			if !p.Peer.Exists() {
				continue
			}
			far := s.Port(p.Peer)
			switch {
			case far.Peer != e:
				faults = append(faults, Fault{
					OneEnded,
					[]End{e, p.Peer},
					fmt.Sprintf("%s names %s as its peer, but not the other way round", s.EndName(e), s.EndName(p.Peer)),
				})
			case p.Link != far.Link && (p.Peer.Node > e.Node || p.Peer.Node == e.Node && p.Peer.Port > e.Port):
				faults = append(faults, Fault{
					LinkMismatch,
					[]End{e, p.Peer},
					fmt.Sprintf("%s reports %v, but %s, the other end of its cable, reports %v", s.EndName(e), p.Link, s.EndName(p.Peer), far.Link),
				})
			}
		}
	}
	return faults
}

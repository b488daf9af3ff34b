package inspect

import (
	"cmp"
	"fmt"

	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
)

// could is what both ends of a cable support, if a tool said that the link is less.
func could(s *subnet.Subnet, e subnet.End) subnet.Link {
	a, b := s.Port(e).Could, s.Port(s.Peer(e)).Could
	if compareLinks(a, b) < 0 {
		return b
	}
	return a
}

func couldBe(s *subnet.Subnet, e subnet.End) bool { return could(s, e) != subnet.Link{} }

// judgedLinks counts the links whose speed has another to be compared with.
func (in *inspection) judgedLinks(cables []subnet.End) {
	unknown := 0
	for _, e := range cables {
		if slower(in.s, e).Rate() == 0 {
			unknown++
		}
	}
	if unknown > 0 {
		in.notJudged("the speed of %d of %s: the file has no width or no speed of them", unknown, plural(len(cables), "link"))
	}
	if known := len(cables) - unknown; known > 1 {
		in.report.LinksJudged = known
	}
}

// belowSupport reports links that are less than both their ends support, those of one kind together.
func (in *inspection) belowSupport(cables []subnet.End) {
	type sort struct{ link, could subnet.Link }
	groups := map[sort][]subnet.End{}
	var sorts []sort
	for _, e := range cables {
		if !couldBe(in.s, e) {
			continue
		}
		k := sort{slower(in.s, e), could(in.s, e)}
		if groups[k] == nil {
			sorts = append(sorts, k)
		}
		groups[k] = append(groups[k], e)
	}
	sorting.Func(sorts, func(a, b sort) int {
		return cmp.Or(len(groups[b])-len(groups[a]), compareLinks(a.link, b.link), compareLinks(a.could, b.could))
	})
	for _, k := range sorts {
		kind := "slow-link"
		why := ": a port may have less enabled, or the cable carries no more"
		if k.link.Width < k.could.Width {
			kind, why = "narrow-link", ": lanes are lost or not enabled, reseat or replace the cable"
		}
		in.find(Warning, kind, in.bothEnds(groups[k]), "%s at %v, both ends support %v%s: %s",
			runs(len(groups[k]), len(cables)), k.link, k.could, why, in.listCables(groups[k]))
	}
}

func runs(n, of int) string {
	if n == 1 {
		return fmt.Sprintf("1 of %s runs", plural(of, "link"))
	}
	return fmt.Sprintf("%d of %s run", n, plural(of, "link"))
}

// bothEnds are the two ports of each cable.
func (in *inspection) bothEnds(cables []subnet.End) (all []subnet.End) {
	for _, e := range cables {
		all = append(all, e, in.s.Peer(e))
	}
	return all
}

func (in *inspection) listCables(cables []subnet.End) string {
	var names []string
	for _, e := range cables {
		names = append(names, fmt.Sprintf("%s to %s", in.endName(e), in.endName(in.s.Peer(e))))
	}
	return list(names, 3)
}

// states reports cables that no manager has taken into service, and ports that were switched off.
func (in *inspection) states(cables []subnet.End) {
	waiting, between := map[subnet.State][]subnet.End{}, 0
	for _, e := range cables {
		if state := max(in.s.Port(e).State, in.s.Port(in.s.Peer(e)).State); state == subnet.Init || state == subnet.Armed {
			waiting[state] = append(waiting[state], e)
			between++
		}
	}
	if between == len(cables) && between > 0 {
		in.find(Note, "not-active", nil, "no link is Active: no Subnet Manager has run, or it has not finished")
		waiting = nil
	}
	for _, state := range []subnet.State{subnet.Init, subnet.Armed} {
		if links := waiting[state]; len(links) > 0 {
			in.find(Warning, "not-active", in.bothEnds(links), "%d of %s %s in state %v, and only management crosses such a link: the Subnet Manager has not taken it into service: %s",
				len(links), plural(len(cables), "link"), isAre(len(links)), state, in.listCables(links))
		}
	}
	var off []subnet.End
	var names []string
	for i := range in.s.Nodes {
		for p := range in.s.Nodes[i].Ports {
			if e := (subnet.End{Node: int32(i), Port: uint16(p)}); in.s.Port(e).State == subnet.Disabled {
				off, names = append(off, e), append(names, in.endName(e))
			}
		}
	}
	if len(off) > 0 {
		in.find(Note, "disabled-port", off, "%s %s switched off: %s", plural(len(off), "port"), isAre(len(off)), list(names, 4))
	}
}

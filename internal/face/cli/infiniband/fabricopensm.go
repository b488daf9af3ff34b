package infiniband

import (
	"errors"
	"fmt"

	"weft/internal/face/doc"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
)

// openSMEngines is the engines in the report of inspect: OpenSM's default first, then the
// usual engines for trees.
var openSMEngines = []route.Name{"minhop", "ftree", "updn"}

// maxForeseen is the maximum number of adapter ports for which inspect computes OpenSM's tables and
// their credit loops, which takes about a second.
const maxForeseen = 2048

// maxForeseenHops is the maximum number of entries of hop tables, a byte each: fabrics of that size
// have some millions. A file can describe more in few lines.
const maxForeseenHops = 1 << 26

// foreseeOpenSM computes OpenSM's results on a fabric. It fails if no manager could bring up the
// fabric in the file, if there is nothing to route, or if it would take long.
func foreseeOpenSM(s *subnet.Subnet, fabric string, adapters int) ([]route.OpenSMVerdict, error) {
	switch {
	case adapters == 0:
		return nil, errors.New("no adapter has a cable")
	case adapters > maxForeseen, hopEntries(s) > maxForeseenHops:
		return nil, fmt.Errorf("a fabric of this size takes a while: see weft sm route %s --as opensm --engine ftree, and weft sm check", fabric)
	}
	s, _, err := (&routing{lmc: -1}).prepare(s, fabric)
	if err != nil {
		return nil, err
	}
	var all []route.OpenSMVerdict
	for _, name := range openSMEngines {
		v, err := route.Predict(s, name)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// hopEntries is the number of entries of hop tables: switches, by ports of all switches.
func hopEntries(s *subnet.Subnet) int {
	switches, ports := 0, 0
	for i := range s.Nodes {
		if s.Nodes[i].Kind == subnet.Switch {
			switches, ports = switches+1, ports+len(s.Nodes[i].Ports)
		}
	}
	return switches * ports
}

// openSMBlocks are a row for each engine, or the reason why there is none.
func openSMBlocks(all []route.OpenSMVerdict, why error) []doc.Block {
	if why != nil {
		return doc.Paragraphs(fmt.Sprintf("not computed: %v", why))
	}
	rows := [][]string{{"asked for", "what it does"}}
	for i := range all {
		rows = append(rows, []string{openSMAsked(&all[i], i == 0), openSMText(&all[i])})
	}
	return []doc.Block{doc.Grid(rows)}
}

// openSMAsked is the command for the engine.
func openSMAsked(v *route.OpenSMVerdict, byDefault bool) string {
	if byDefault {
		return "by default"
	}
	return "-R " + string(v.Asked)
}

// openSMText is the verdict as text.
func openSMText(v *route.OpenSMVerdict) string {
	text := string(v.Used)
	if v.Used != v.Asked {
		text += " in its place, and only its log says so: " + v.Reason
	}
	switch v.CreditLoops {
	case 0:
		text += "; nothing can deadlock"
	case 1:
		text += "; a credit loop, so that traffic can come to a standstill"
	default:
		text += fmt.Sprintf("; %d credit loops, so that traffic can come to a standstill", v.CreditLoops)
	}
	if v.Unreachable > 0 {
		text += fmt.Sprintf("; %d pairs of a switch and a host have no way, and it reports success", v.Unreachable)
	}
	return text
}

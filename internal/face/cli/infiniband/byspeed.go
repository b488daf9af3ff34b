package infiniband

import (
	"fmt"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/ib/proof"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
)

// addSpeeds adds what --by-speed changes: the bandwidth of shifts at the cables' own rates, with it and without.
func (r *routing) addSpeeds(d *doc.Document, s *subnet.Subnet, res *route.Result, o route.Options) error {
	if !o.BySpeed {
		return nil
	}
	with, err := shiftsAtRates(s, res.Tables, o.Cores)
	if err != nil {
		return err
	}
	o.BySpeed = false
	plain, err := route.Proved(s, res.Report.Used, o)
	if err != nil {
		return err
	}
	without, err := shiftsAtRates(s, plain.Tables, o.Cores)
	if err != nil {
		return err
	}
	d.Add(doc.Section{Title: "Shifts at the cables' own rates", Blocks: []doc.Block{doc.Grid([][]string{
		{"tables", "mean bandwidth of the slowest end"},
		{fmt.Sprintf("%s by speed", res.Report.Used), with},
		{fmt.Sprintf("%s without", res.Report.Used), without},
	})}})
	return nil
}

// shiftsAtRates is the mean share of an end's rate in shifts, in words.
func shiftsAtRates(s *subnet.Subnet, t *subnet.Tables, cores int) (string, error) {
	p, err := proof.Check(s, t, proof.Options{Workers: cores})
	if err != nil {
		return "", err
	}
	for _, x := range p.Patterns {
		if strings.Contains(x.Name, ": mean") {
			return fmt.Sprintf("%.1f %%", 100*x.Bandwidth), nil
		}
	}
	return "no shifts: fewer than two ends", nil
}

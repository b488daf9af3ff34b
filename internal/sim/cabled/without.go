package cabled

import (
	"fmt"

	"weft/internal/ib/format"
	"weft/internal/ib/proof"
	"weft/internal/ib/subnet"
)

// noteWithoutEffect compares the tables that no simulation uses with the rest, and says so.
func (s *Source) noteWithoutEffect(p *Placed, set *format.TableSet, sub *subnet.Subnet) error {
	if set.Matrix != nil {
		m, err := proof.CheckMatrix(sub, set.LFTs.Tables, set.Matrix)
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name[format.LIDMatrix], err)
		}
		p.note("%s: the LID matrix has no effect, since the tables decide: %s", set.Name[format.LIDMatrix], matrixVerdict(m))
	}
	if set.Multicast != nil {
		m, err := proof.CheckMulticast(sub, set.Multicast)
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name[format.MCFDBs], err)
		}
		p.note("%s: the multicast tables have no effect, since the simulation sends no multicast packets through this fabric: %s", set.Name[format.MCFDBs], m.Verdict())
	}
	return nil
}

// matrixVerdict is the comparison of a LID matrix in words.
func matrixVerdict(m *proof.Matrix) string {
	if m.Refuted() {
		return fmt.Sprintf("%d of its %d entries are less than the cables allow, as in a matrix of another fabric, or in that of OpenSM's nue", m.Shorter, m.Entries)
	}
	return fmt.Sprintf("%d of %d paths from switches take as many hops as it has", m.Agree, m.Paths)
}

package infiniband

import (
	"fmt"
	"io"

	"weft/internal/face/cli/process"
	"weft/internal/face/doc"
	"weft/internal/ib/format"
	"weft/internal/ib/proof"
	"weft/internal/ib/subnet"
	"weft/units"
)

// checkMatrix reads a LID matrix and compares it with a fabric and its tables; nil without a file.
func checkMatrix(e *process.Env, s *subnet.Subnet, t *subnet.Tables, path string) (*proof.Matrix, error) {
	if path == "" {
		return nil, nil
	}
	var hops *subnet.Hops
	err := reading(e, path, func(r io.Reader) (report *format.Report, err error) {
		hops, report, err = format.ReadLIDMatrix(path, r, s)
		return report, err
	})
	if err != nil {
		return nil, err
	}
	return proof.CheckMatrix(s, t, hops)
}

// checkGroups reads multicast tables and judges them; nil without a file.
func checkGroups(e *process.Env, s *subnet.Subnet, path string) (*proof.Multicast, error) {
	if path == "" {
		return nil, nil
	}
	var tables []map[units.LID]subnet.PortMask
	err := reading(e, path, func(r io.Reader) (report *format.Report, err error) {
		tables, report, err = format.ReadMFTs(path, r, s)
		return report, err
	})
	if err != nil {
		return nil, err
	}
	return proof.CheckMulticast(s, tables)
}

// matrixTable is the comparison of a LID matrix with cables and tables.
func matrixTable(s *subnet.Subnet, m *proof.Matrix) *doc.Table {
	entries := fmt.Sprintf("%d of %d entries are the least hops that the cables allow", m.Equal, m.Entries)
	for _, x := range []struct {
		count int64
		what  string
	}{{m.Longer, "are more"}, {m.Closed, "are no way though a cable leads there"}, {m.Shorter, "are less, which no tables can be"}} {
		if x.count > 0 {
			entries += fmt.Sprintf(", %d %s", x.count, x.what)
		}
	}
	rows := [][]string{
		{"of", "result"},
		{"LID matrix", entries},
		{"and tables", fmt.Sprintf("%d of %d paths from switches take as many hops as it has at their first port", m.Agree, m.Paths)},
	}
	for _, h := range m.Impossible[:min(3, len(m.Impossible))] {
		rows = append(rows, []string{"impossible", hopsText(s, h, "the cables allow")})
	}
	for _, h := range m.Disagree[:min(3, len(m.Disagree))] {
		rows = append(rows, []string{"differs", hopsText(s, h, "the path takes")})
	}
	return doc.Grid(rows)
}

// hopsText is a wrong entry.
func hopsText(s *subnet.Subnet, h proof.HopsAt, who string) string {
	to := placeText(s, proof.Place{Port: h.To, LID: h.LID})
	return fmt.Sprintf("%s to %s: %s, %s %s", s.EndName(h.Port), to, hopsOf(h.Says), who, hopsOf(h.Is))
}

// hopsOf is an entry as text.
func hopsOf(hops int) string {
	if hops == proof.NoHops {
		return "no way"
	}
	return fmt.Sprintf("%d hops", hops)
}

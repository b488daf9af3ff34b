package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/study/plan"
)

// growthSection is the stages of each way from a design to its later size; empty without one.
func growthSection(d *plan.Design, in doc.Place) doc.Section {
	if d.Growth == nil || len(d.Growth.Ways) == 0 {
		return doc.Section{}
	}
	head := []string{"way", "GPUs", "switches", "bought", "cables", "moved", "power then", "cost"}
	t := doc.NewTable(head...)
	t.Columns = []doc.Column{6: {Spare: true}} // power: the table of designs has that of the first day
	for _, w := range d.Growth.Ways {
		name := w.Name
		for i := range w.Stages {
			s := &w.Stages[i]
			row := []doc.Cell{
				doc.Text(name), doc.Text(stageRange(s)), doc.Text(levelCounts(s.Switches)), doc.Text(bought(s)),
				doc.Count(s.Counted(plan.AddCable)), doc.Count(s.Counted(plan.MoveCable)), powerCell(s.Power),
			}
			t.Add(append(row, costCell(s.Cost))...)
			name = ""
		}
	}
	notes := []string{fmt.Sprintf("At %s GPUs: %s. Today's switches are enough for %s GPUs. Cost: what is bought, NICs and fibres too. --out writes each cable.",
		doc.Integer(int64(d.Growth.GPUs)), d.Growth.Name, doc.Integer(int64(d.Growth.Holds)))}
	return doc.Section{Title: "Growth of " + d.Name, In: in, Blocks: append([]doc.Block{t}, doc.Notes(notes...)...)}
}

// stageRange is the GPUs of a stage.
func stageRange(s *plan.Stage) string {
	if s.From == s.To {
		return doc.Integer(int64(s.To))
	}
	return doc.Integer(int64(s.From)) + " to " + doc.Integer(int64(s.To))
}

// levelCounts are switches by level: 4 + 2.
func levelCounts(n [3]int) string {
	var parts []string
	for _, k := range n {
		if k > 0 {
			parts = append(parts, doc.Integer(int64(k)))
		}
	}
	return strings.Join(parts, " + ")
}

// bought are the switches, modules and cables of a stage.
func bought(s *plan.Stage) string {
	kinds, counts := []string{"switch", "transceiver", "cable"}, map[string]int{}
	for _, l := range s.Added {
		counts[l.Kind] += l.Quantity
	}
	names := map[string][2]string{"switch": {"switch", "switches"}, "transceiver": {"module", "modules"}, "cable": {"cable", "cables"}}
	var parts []string
	for _, k := range kinds {
		if counts[k] > 0 {
			parts = append(parts, plural(counts[k], names[k][0], names[k][1]))
		}
	}
	return strings.Join(parts, ", ")
}

// growthFile is the name of the file with the cables of a design's growth.
func growthFile(d *plan.Design) string { return d.Name + "-growth.csv" }

// growthCables is a row for each cable of each stage.
func growthCables(d *plan.Design) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	put := func(fields ...string) { _ = w.Write(fields) } // into memory
	put("way", "from GPUs", "to GPUs", "action", "kind", "from", "to", "was")
	for _, way := range d.Growth.Ways {
		for _, s := range way.Stages {
			for _, c := range s.Cables {
				put(way.Name, strconv.Itoa(s.From), strconv.Itoa(s.To), string(c.Action), c.Kind.String(), c.From, c.To, c.Was)
			}
		}
	}
	w.Flush()
	return b.Bytes()
}

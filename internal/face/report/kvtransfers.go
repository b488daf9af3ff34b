package report

import (
	"fmt"
	"strings"

	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// KVTransfers is the transfers of keys and values on each fabric, with nixlbench's columns.
func KVTransfers(t *results.KVTransfers) *doc.Document {
	d := &doc.Document{
		Brand: simulation, Title: "Keys and values of " + t.Model, Footer: sameAgain,
		Heading: fmt.Sprintf("Keys and values of %s: %s of prefill to %s of decode, %s a token",
			t.Model, instancesOf(&t.Prefill), instancesOf(&t.Decode), units.Bytes(t.TokenBytes)),
	}
	table := doc.NewTable("fabric", "Tokens", "Bytes", "Block Size (B)", "Batch Size", "B/W (GB/Sec)", "Avg Lat. (us)", "P50 (us)", "P99 (us)")
	for i := range t.Fabrics {
		f := &t.Fabrics[i]
		d.Series = append(d.Series, f.Name)
		for _, row := range f.Rows {
			if row.TotalPs == 0 {
				table.Add(doc.Text(f.Name), doc.Text(doc.Integer(int64(row.Tokens))), instead(row.Failure), doc.None, doc.None, doc.None, doc.None, doc.None, doc.None)
				continue
			}
			table.Add(doc.Text(f.Name), doc.Text(doc.Integer(int64(row.Tokens))), doc.Text(units.Bytes(row.Bytes).String()), doc.Text(fmt.Sprint(row.Block)), doc.Text(fmt.Sprint(t.Requests)),
				doc.Text(fmt.Sprintf("%.2f", row.GBps)), micros(row.MeanPs), micros(row.P50Ps), micros(row.P99Ps))
		}
	}
	d.Add(doc.Section{Title: "Transfers", Caption: "Lat.: from the prompt's end until a request's last layer is in the memory of decode; block: bytes of a work request; batch: requests at the same time", Blocks: []doc.Block{table}})
	d.Add(doc.Section{Verdict: true, Blocks: doc.Paragraphs(kvSentences(t)...)})
	return d
}

// instead is the cell of a run without a result.
func instead(failure string) doc.Cell { return doc.Instead(endOf(failure)) }

// endOf says in a word how a run without a result ended.
func endOf(failure string) string {
	if failure == results.Stopped {
		return "stopped"
	}
	return "failed"
}

func micros(ps int64) doc.Cell { return doc.Text(fmt.Sprintf("%.1f", 1e6*units.Time(ps).Seconds())) }

// kvSentences is transfer_engine_bench's last line for each fabric, and the busiest link.
func kvSentences(t *results.KVTransfers) (out []string) {
	for i := range t.Fabrics {
		f := &t.Fabrics[i]
		row := &f.Rows[len(f.Rows)-1]
		if row.TotalPs == 0 {
			continue
		}
		text := fmt.Sprintf("%s: Test completed: duration %.6f, batch count %d, throughput %.2f GB/s", f.Name, units.Time(row.TotalPs).Seconds(), t.Requests, row.GBps)
		if len(row.Hottest) > 0 {
			text += fmt.Sprintf("; busiest link %s (%.0f %%)", strings.TrimSpace(row.Hottest[0].Name), 100*row.Hottest[0].Busy)
		}
		out = append(out, text+".")
	}
	return out
}

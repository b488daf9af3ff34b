package measured

import "weft/scenario"

// ErrorBetweenNodes is weft's error for a collective between nodes: over the scored rows in the range
// of sizes of a message, in the range of the given size. Rows of the operation count if there are any, else rows of all
// operations. It is empty if there are none. A row whose table took part in a fit has the error without that table.
func ErrorBetweenNodes(op scenario.Collective, bytes int64) Sum {
	var own, all Sum
	for _, c := range Clusters() {
		for i := range c.Rows {
			r := &c.Rows[i]
			predicted := r.Predicted
			if c.Fit != "" {
				predicted = r.Without
			}
			if ok, _ := c.Scores(r); !ok || r.Ranks <= c.GPUs || predicted == 0 || RangeOf(r.Bytes) != RangeOf(bytes) {
				continue
			}
			all.Add(r.Error(predicted))
			if r.Op == op {
				own.Add(r.Error(predicted))
			}
		}
	}
	if own.Rows > 0 {
		return own
	}
	return all
}

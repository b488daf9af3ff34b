package page

import (
	"encoding/json"

	"weft/internal/face/report"
	"weft/internal/sim/runstore/seriesfile"
	"weft/results"
)

// mostPauses bounds the lines of the tree: weft records at most 128 pauses of a simulation.
const mostPauses = 1024

// cause is a line of the tree of pauses.
type cause struct {
	Branch string `json:"branch"`
	Text   string `json:"text"` // of a root its cause, otherwise the name of the link
	Link   int    `json:"link"` // -1: a root
	Lane   int    `json:"lane"`
	Root   string `json:"root"` // the cause above the line

	Pauses   int64 `json:"pauses"`
	PausedPs int64 `json:"paused_ps"`
}

// causes are the pauses of a simulation as weft explain shows them: from the root causes to those who waited.
func (f *Folder) causes(simulation int) ([]byte, error) {
	s, err := f.simulation(simulation)
	if err != nil {
		return nil, err
	}
	of := func(file string, where map[string][]string, limit int) func(column string) any {
		var c *seriesfile.Columns
		if err == nil {
			c, err = seriesfile.Select(f.series(), file, seriesfile.Query{Where: where, Limit: limit})
		}
		return func(column string) any {
			if err != nil {
				return nil
			}
			return c.Column(column)
		}
	}
	fabric := map[string][]string{"fabric": {s.Fabric}}
	nodes, links, pauses := of(seriesfile.Nodes, fabric, 0), of(seriesfile.Links, fabric, 0), of(seriesfile.Pauses, where(s), mostPauses)
	if err != nil {
		return nil, err
	}
	p, numbers := recordedPauses(nodes, links, pauses)
	rows := []cause{}
	root := ""
	for _, r := range report.PauseTree(p) {
		row := cause{Branch: r.Branch, Text: r.Text, Link: -1}
		if r.Link < 0 {
			root = r.Text
		} else {
			l := &p.Links[r.Link]
			row.Link, row.Lane, row.Pauses, row.PausedPs = numbers[r.Link], l.Priority, l.Pauses, l.PausedPs
		}
		row.Root = root
		rows = append(rows, row)
	}
	return json.Marshal(map[string]any{"rows": rows})
}

// recordedPauses are the rows of pauses.parquet as a run without series has them, with the numbers of their links.
func recordedPauses(nodes, links, pauses func(string) any) (*results.Pauses, []int) {
	node, link := named(nodes("node"), nodes("name")), named(links("link"), links("name"))
	ends := map[int64]int64{}
	from, to := list[int64](links("from_node")), list[int64](links("to_node"))
	starts := map[int64]int64{}
	for i, l := range list[int64](links("link")) {
		starts[l], ends[l] = from[i], to[i]
	}
	p := &results.Pauses{}
	var numbers []int
	of, lanes, after, circle := list[int64](pauses("link")), list[int64](pauses("lane")), list[int64](pauses("after_link")), list[bool](pauses("circle"))
	count, paused, first := list[int64](pauses("pauses")), list[int64](pauses("paused_ps")), list[int64](pauses("first_ps"))
	held, share := list[int64](pauses("cause_link")), list[float32](pauses("cause_share"))
	for i, l := range of {
		row := results.PausedLink{
			Name: link[l], Sender: node[starts[l]], By: node[ends[l]], Priority: int(lanes[i]), Pauses: count[i], PausedPs: paused[i], FirstPs: first[i],
			Cause: link[held[i]], Share: float64(share[i]), After: -1, Circle: circle[i],
		}
		for k := range of {
			if after[i] >= 0 && of[k] == after[i] && lanes[k] == lanes[i] {
				row.After = k
			}
		}
		p.Links = append(p.Links, row)
		numbers = append(numbers, int(l))
	}
	return p, numbers
}

// list is a column of a type, which it has in every file that seriesfile reads.
func list[T any](column any) []T {
	l, _ := column.([]T)
	return l
}

func named(numbers, names any) map[int64]string {
	out := map[int64]string{}
	text := list[string](names)
	for i, n := range list[int64](numbers) {
		out[n] = text[i]
	}
	return out
}

package validate

import "strings"

// Chapter is the cases whose IDs begin with the same part.
type Chapter struct{ ID, Title string }

// Chapters are in the order of the page.
var Chapters = []Chapter{
	{"packet", "One packet"},
	{"message", "One message"},
	{"verbs", "Services and operations"},
	{"credits", "InfiniBand credits"},
	{"pfc", "PFC headroom"},
	{"incast", "Incast"},
	{"queue", "Queueing"},
	{"ring", "Ring all-reduce"},
	{"sharp", "Reductions in the switches"},
	{"uniform", "Uniform traffic through a switch"},
	{"dcqcn", "DCQCN"},
	{"cc", "TIMELY, Swift and HPCC"},
	{"congestion", "Congestion control on hardware"},
	{"ibcc", "InfiniBand congestion control"},
	{"uet", "Ultra Ethernet"},
	{"iwarp", "iWARP"},
	{"fct", "Flow completion times of another simulator"},
	{"model", "Collectives by NCCL's own cost model"},
	{"nccl", "Measured collectives"},
	{"scaleout", "Scale-out on ECMP"},
	{"training", "Training steps"},
	{"serving", "Serving"},
	{"bill", "Bills of materials"},
}

// Of are the results of the chapter's cases.
func (c *Chapter) Of(results []Result) (out []Result) {
	for _, r := range results {
		if strings.HasPrefix(r.Case.ID, c.ID+"/") {
			out = append(out, r)
		}
	}
	return out
}

// Calibrations say which parameters were taken from which data, each with its chapter.
func Calibrations(results []Result) (out []string) {
	said := map[string]bool{}
	for i := range results {
		if c := results[i].Case; c.Calibrated != "" && !said[c.Calibrated] {
			said[c.Calibrated] = true
			chapter, _, _ := strings.Cut(c.ID, "/")
			out = append(out, chapter+"/*: "+c.Calibrated)
		}
	}
	return out
}

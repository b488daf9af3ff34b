package page

import (
	"encoding/json"
	"fmt"

	"weft/internal/face/report"
	"weft/internal/sim/runstore"
	"weft/internal/sim/runstore/seriesfile"
	"weft/results"
)

// mostLines bounds the lines of a verdict on the first screen.
const mostLines = 10

// conclusion is the verdict of a run that compares fabrics, for the first screen.
type conclusion struct {
	Lines  []string        `json:"lines"`
	Trials []results.Trial `json:"trials"` // each is a waterfall: the lead of a fabric, property by property
	Times  []fabricTime    `json:"times"`  // at the largest size
}

type fabricTime struct {
	Fabric string `json:"fabric"`
	Bytes  int64  `json:"bytes"`
	TimePs int64  `json:"time_ps"` // 0: none
}

// results reads the results of a run that has ended.
func (f *Folder) results() (*results.Results, error) {
	text, err := f.meta.Read(f.dir, runstore.ResultsFile)
	if err != nil {
		return nil, err
	}
	return results.DecodeResults(text)
}

// verdict is the conclusion of the run.
func (f *Folder) verdict() ([]byte, error) {
	if !f.Compared {
		return nil, fmt.Errorf("%w verdict: the run compares no fabrics", seriesfile.ErrQuery)
	}
	r, err := f.results()
	if err != nil {
		return nil, err
	}
	judged := report.Judge(r, f.resolved)
	c := conclusion{Lines: judged.Short(), Trials: []results.Trial{}}
	c.Lines = c.Lines[:min(len(c.Lines), mostLines)]
	if r.Contest != nil {
		c.Trials = append(c.Trials, r.Contest.Trials...)
	}
	for i := range r.Fabrics {
		if n := len(r.Fabrics[i].Points); n > 0 {
			p := &r.Fabrics[i].Points[n-1]
			c.Times = append(c.Times, fabricTime{r.Fabrics[i].Name, p.Bytes, int64(p.Time)})
		}
	}
	return json.Marshal(c)
}

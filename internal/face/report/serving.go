package report

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/base/wording"
	"weft/internal/face/doc"
	"weft/internal/study/serve"
	"weft/results"
	"weft/units"
)

// Serving is a serving job at one rate of requests or several. resolved is the text of its scenario.
func Serving(s *results.Serving, resolved []byte) *doc.Document {
	j := &s.Job
	d := &doc.Document{
		Brand: simulation, Title: s.Scenario, Footer: sameAgain,
		Series:  namesOf(s.Points[0].Fabrics, func(f results.ServingFabric) string { return f.Name }),
		Heading: fmt.Sprintf("%s: %s on %s of %s, %s", s.Scenario, j.Model, wording.Counted(j.Nodes, "node", "nodes"), strings.ToUpper(j.GPU), poolsOf(j)),
	}
	many := len(s.Points) > 1
	if many {
		d.Add(doc.Section{Title: "Goodput", Caption: "share of requests within " + limitsOf(j) + "; the rate is requests in a second", Blocks: []doc.Block{goodputTable(s, d.Series)}})
	}
	at := shownPoint(s)
	d.Add(doc.Section{Title: arrivals(j, at), Blocks: []doc.Block{servingTable(j, at)}, Caption: servingCaption(j)})
	seeds, told := servingSeeds(s, at)
	d.Add(seeds)
	if len(s.Changes) > 0 {
		d.Add(doc.Section{Title: "What to change", Caption: "the job with each change alone, mean times", Blocks: []doc.Block{changesTable(s)}})
	}
	d.Add(doc.Section{Verdict: true, Blocks: doc.Paragraphs(slices.Concat(servingSentences(s, at), told, changeSentences(s))...)})
	legend := append(slices.Clone(d.Series), withoutNetwork)
	if many {
		d.Add(doc.Section{Title: "Over rates", In: doc.Page, Blocks: diagrams(legend, ratePlots(s, legend)...)})
	}
	d.Add(doc.Section{Title: "Distributions", In: doc.Page, Blocks: diagrams(legend, distributionPlots(at, legend)...)})
	d.Add(doc.Section{
		Title: "The first requests", In: doc.Page, Blocks: requestLanes(at, legend),
		Caption: "From the arrival of each request to the end of its answer; all fabrics have the same time axis.",
	})
	d.Add(
		doc.Section{Title: "Before the first token", Caption: "P50 / P90 / P99", In: doc.Details, Blocks: []doc.Block{stagesTable(j, at)}},
		doc.Section{Title: "Exchanges with experts", Caption: "dispatch and combine of a layer, each alone on the nodes of an instance; times of the slowest GPU", In: doc.Details, Blocks: []doc.Block{exchangesTable(at)}},
		doc.Section{Title: "Exchanges beside transfers", Caption: "exchanges that met keys and values on the fabric; simulated: how many of them packet by packet; over alone: their mean time as a multiple of the time alone", In: doc.Details, Blocks: []doc.Block{contentionTable(at)}},
		doc.Section{Title: "Other traffic", Caption: "the fabric's streams while the job ran", In: doc.Details, Blocks: []doc.Block{besideTable(at)}},
		doc.Section{Title: "The job", In: doc.Details, Blocks: doc.Notes(servingJob(j)...)},
		scenarioSection(scenarioTitle, resolved),
	)
	return d
}

// arrivals say how requests come.
func arrivals(j *results.ServingJob, p *results.ServingPoint) string {
	switch {
	case j.Clients > 0:
		if j.Clients == 1 {
			return "One client that waits for its answers"
		}
		return doc.Integer(int64(j.Clients)) + " clients that wait for their answers"
	case p.Rate == 0:
		return doc.Integer(int64(j.Burst)) + " requests at once"
	case j.Burst > 1:
		return fmt.Sprintf("At %.4g requests in a second, in bursts of %s", p.Rate, doc.Integer(int64(j.Burst)))
	}
	return fmt.Sprintf("At %.4g requests in a second", p.Rate)
}

func servingCaption(j *results.ServingJob) string {
	if j.Collocated {
		return "P50 / P90 / P99; first token: from the arrival of a request until it is computed; per token: mean of the later tokens of a request"
	}
	return "P50 / P90 / P99; first token: from the arrival of a request until decode has its keys and values; per token: mean of the later tokens of a request; exposed: the part of the transfer after the end of the prompt's computation"
}

// poolsOf is the instances of a job in a few words.
func poolsOf(j *results.ServingJob) string {
	if j.Collocated {
		return instancesOf(&j.Prefill.ServingPool) + " for prompts and answers"
	}
	return fmt.Sprintf("%s of prefill, %s of decode", instancesOf(&j.Prefill.ServingPool), instancesOf(&j.Decode.ServingPool))
}

// instancesOf is instances and their GPUs; of one instance its GPUs alone.
func instancesOf(p *results.ServingPool) string {
	gpus := wording.Counted(p.GPUs, "GPU", "GPUs")
	if p.Instances == 1 {
		return gpus
	}
	return fmt.Sprintf("%d × %s", p.Instances, gpus)
}

// shownPoint is the point that is shown in full: the last one with a run; without any, the first.
func shownPoint(s *results.Serving) *results.ServingPoint {
	at := &s.Points[0]
	for i := range s.Points {
		if p := &s.Points[i]; p.Ideal != nil && p.Unstable == "" {
			at = p
		}
	}
	return at
}

func limitsOf(j *results.ServingJob) string {
	return fmt.Sprintf("%v to the first token and %v for each after it", units.Time(j.FirstToken), units.Time(j.PerToken))
}

// servingTable is a row for each fabric, and one without a network.
func servingTable(j *results.ServingJob, p *results.ServingPoint) *doc.Table {
	names, own := []string{"fabric", "first token", "per token"}, func(*results.ServingRun) []doc.Cell { return nil }
	if !j.Collocated {
		names = append(names, "transfer", "exposed")
		own = func(r *results.ServingRun) []doc.Cell {
			return []doc.Cell{quantiles(&r.Transfer), quantiles(&r.Exposed)}
		}
	}
	t := doc.NewTable(append(names, "tokens/s", "good")...)
	row := func(name string, r *results.ServingRun, state string) {
		if r == nil {
			t.Add(append([]doc.Cell{doc.Text(name), doc.Instead(state)}, slices.Repeat([]doc.Cell{doc.None}, len(names))...)...)
			return
		}
		if state != "" {
			name += " (" + state + ")"
		}
		cells := append([]doc.Cell{doc.Text(name), quantiles(&r.FirstToken), quantiles(&r.PerToken)}, own(r)...)
		t.Add(append(cells, doc.TokensPerSecond(r.Tokens), doc.Tenths(r.Good))...)
	}
	for i := range p.Fabrics {
		row(p.Fabrics[i].Name, p.Fabrics[i].Run, stateOf(p, &p.Fabrics[i]))
	}
	state := ""
	if p.Unstable != "" {
		state = "unstable"
	}
	row(withoutNetwork, p.Ideal, state)
	return t
}

// stateOf is the state of a fabric without a steady run; "" if it has one.
func stateOf(p *results.ServingPoint, f *results.ServingFabric) string {
	switch {
	case p.Unstable != "" || f.Unstable != "":
		return "unstable"
	case f.Failure != "":
		return endOf(f.Failure)
	}
	return ""
}

func quantiles(t *results.ServingTimes) doc.Cell {
	return doc.Text(fmt.Sprintf("%s / %s / %s", units.Time(t.P50), units.Time(t.P90), units.Time(t.P99)))
}

// goodputTable is a row for each rate, and a column for each fabric.
func goodputTable(s *results.Serving, fabrics []string) *doc.Table {
	t := doc.NewTable(slices.Concat([]string{"requests/s"}, fabrics, []string{withoutNetwork})...)
	for i := range s.Points {
		p := &s.Points[i]
		row := []doc.Cell{doc.Text(fmt.Sprintf("%.4g", p.Rate))}
		for j := range p.Fabrics {
			row = append(row, goodCell(p.Fabrics[j].Run, stateOf(p, &p.Fabrics[j])))
		}
		state := ""
		if p.Unstable != "" {
			state = "unstable"
		}
		t.Add(append(row, goodCell(p.Ideal, state))...)
	}
	return t
}

func goodCell(r *results.ServingRun, state string) doc.Cell {
	if state != "" || r == nil {
		return doc.Instead(state)
	}
	return doc.Tenths(r.Good)
}

// stagesTable is the times before the first token.
func stagesTable(j *results.ServingJob, p *results.ServingPoint) *doc.Table {
	names := []string{"fabric", "waiting for prefill", "prefill"}
	if !j.Collocated {
		names = append(names, "exposed transfer")
	}
	t := doc.NewTable(names...)
	row := func(name string, r *results.ServingRun) {
		if r == nil {
			return
		}
		cells := []doc.Cell{doc.Text(name), quantiles(&r.Waiting), quantiles(&r.Prefill)}
		if !j.Collocated {
			cells = append(cells, quantiles(&r.Exposed))
		}
		t.Add(cells...)
	}
	for i := range p.Fabrics {
		row(p.Fabrics[i].Name, p.Fabrics[i].Run)
	}
	row(withoutNetwork, p.Ideal)
	return t
}

// exchangesTable is a row for each simulated exchange.
func exchangesTable(p *results.ServingPoint) *doc.Table {
	t := doc.NewTable("fabric", "pool", "tokens of a GPU", "dispatch", "combine")
	for i := range p.Fabrics {
		for _, x := range p.Fabrics[i].Exchanges {
			t.Add(doc.Text(p.Fabrics[i].Name), doc.Text(x.Pool), doc.Text(doc.Integer(int64(x.Tokens))), doc.Time(units.Time(x.DispatchPs)), doc.Time(units.Time(x.CombinePs)))
		}
	}
	return t
}

// contentionTable is a row for each pool with exchanges on each fabric.
func contentionTable(p *results.ServingPoint) *doc.Table {
	t := doc.NewTable("fabric", "pool", "exchanges", "simulated", "over alone")
	for i := range p.Fabrics {
		if c := p.Fabrics[i].Contention; c != nil {
			for _, x := range c.Exchanges {
				t.Add(doc.Text(p.Fabrics[i].Name), doc.Text(x.Pool), doc.Text(doc.Integer(int64(x.Meet))), doc.Text(doc.Integer(int64(x.Simulated))), doc.Text(fmt.Sprintf("%.2f", x.Slowed)))
			}
		}
	}
	return t
}

// contentionSentence says how much longer exchanges and transfers take where they meet.
func contentionSentence(f *results.ServingFabric) string {
	c, r := f.Contention, f.Run
	cost := func(of func(*results.ServingRun) int64) string {
		return fmt.Sprintf("%s (%+.1f %%)", units.Time(of(r)-of(c.Apart)), 100*float64(of(r)-of(c.Apart))/float64(max(1, of(c.Apart))))
	}
	text := fmt.Sprintf("On %s exchanges with experts meet transfers. That changes the mean time of a token by %s, to the first token by %s, and of a transfer by %s.", quoted(f.Name),
		cost(func(r *results.ServingRun) int64 { return r.PerToken.Mean }), cost(func(r *results.ServingRun) int64 { return r.FirstToken.Mean }),
		cost(func(r *results.ServingRun) int64 { return r.Transfer.Mean }))
	for _, x := range c.Exchanges {
		if x.Simulated > 0 {
			text += fmt.Sprintf(" Beside transfers an exchange of %s takes %.2f times as long as alone.", x.Pool, x.Slowed)
		}
	}
	return text
}

// besideTable is a row for each stream beside the job.
func besideTable(p *results.ServingPoint) *doc.Table {
	t := doc.NewTable("fabric", "stream", "messages", "mean", "P99", "GB/s")
	for i := range p.Fabrics {
		for _, x := range p.Fabrics[i].Beside {
			t.Add(doc.Text(p.Fabrics[i].Name), doc.Text(x.Name), doc.Text(doc.Integer(x.Messages)), doc.Time(units.Time(x.MeanPs)), doc.Time(units.Time(x.P99Ps)), doc.Text(fmt.Sprintf("%.2f", x.GBps)))
		}
	}
	return t
}

// servingSentences say what the fabrics cost, what is full, and where the knee is.
func servingSentences(s *results.Serving, p *results.ServingPoint) (out []string) {
	if p.Unstable != "" {
		return []string{fmt.Sprintf("Unstable at %.4g requests in a second: %s. Nothing has a steady state there.", p.Rate, p.Unstable)}
	}
	for i := range p.Fabrics {
		f := &p.Fabrics[i]
		switch {
		case f.Unstable != "":
			out = append(out, fmt.Sprintf("%s is unstable: %s.", quoted(f.Name), f.Unstable))
		case f.Run != nil && p.Ideal != nil:
			out = append(out, costSentence(f, p.Ideal))
			if f.Contention != nil {
				out = append(out, contentionSentence(f))
			}
			if n := f.Run.Evictions; n > 0 {
				out = append(out, fmt.Sprintf("On %s memory was full %s: a request gave up its keys and values, and was computed again.", quoted(f.Name), wording.Counted(n, "time", "times")))
			}
		}
	}
	out = append(out, fullSentence(p))
	if len(s.Points) > 1 {
		out = append(out, kneeSentence(s))
	}
	return out
}

// costSentence is what a fabric costs, beside a network that takes no time.
func costSentence(f *results.ServingFabric, ideal *results.ServingRun) string {
	is, was := &f.Run.FirstToken, &ideal.FirstToken
	if *is == *was {
		return fmt.Sprintf("%s costs no time to the first token.", quoted(f.Name))
	}
	return fmt.Sprintf("%s costs %s of the median time to the first token (%.1f %%), and %s at P99.", quoted(f.Name),
		units.Time(is.P50-was.P50), 100*float64(is.P50-was.P50)/float64(max(1, is.P50)), units.Time(is.P99-was.P99))
}

// fullSentence says which share of each resource the requests need, and at which rate the first is used up.
func fullSentence(p *results.ServingPoint) string {
	most := fmt.Sprintf("On a network that takes no time %s is used up at %.3g requests in a second: more of it raises this limit first.", p.Full, p.Most)
	if len(p.Loads) == 0 {
		return most
	}
	var full []string
	for _, l := range p.Loads {
		full = append(full, fmt.Sprintf("%.0f %% of %s", 100*l.Share, l.Resource))
	}
	return fmt.Sprintf("The requests need %s, %s", strings.Join(full, " and "), strings.ToLower(most[:1])+most[1:])
}

// kneeSentence is the highest rate at which each fabric keeps enough requests within the limits.
func kneeSentence(s *results.Serving) string {
	var parts []string
	most := func(name string, of func(p *results.ServingPoint) (*results.ServingRun, string)) {
		best := 0.0
		for i := range s.Points {
			if r, state := of(&s.Points[i]); serve.Keeps(r, state) {
				best = max(best, s.Points[i].Rate)
			}
		}
		text := "none of the rates"
		if best > 0 {
			text = fmt.Sprintf("%.4g", best)
		}
		parts = append(parts, name+" "+text)
	}
	for i := range s.Points[0].Fabrics {
		most(s.Points[0].Fabrics[i].Name, func(p *results.ServingPoint) (*results.ServingRun, string) {
			return p.Fabrics[i].Run, stateOf(p, &p.Fabrics[i])
		})
	}
	most(withoutNetwork, func(p *results.ServingPoint) (*results.ServingRun, string) { return p.Ideal, p.Unstable })
	return fmt.Sprintf("The highest of these rates with %.0f %% of the requests within the limits: %s.", 100*serve.GoodShare, strings.Join(parts, ", "))
}

// servingJob describes the requests and the memory.
func servingJob(j *results.ServingJob) []string {
	pool := func(name string, m *results.ServingMemory) string {
		return fmt.Sprintf("%s: %s of %s (tensor %d, data %d, pipeline %d); on a GPU %s of weights and room for %s tokens of %s, in %s",
			name, wording.Counted(m.Instances, "instance", "instances"), wording.Counted(m.GPUs, "GPU", "GPUs"), m.Tensor, m.Groups, m.Pipeline, units.Bytes(m.Weights), doc.Integer(m.Room), units.Bytes(m.Token), units.Bytes(m.Memory))
	}
	requests := doc.Integer(int64(j.Requests)) + " requests"
	if j.Requests == 1 {
		requests = "1 request"
	}
	requests += fmt.Sprintf(", in the mean %.0f tokens of prompt and %.0f of answer", j.Prompt, j.Output)
	if j.Trace != "" {
		requests += ", of " + j.Trace
	}
	out := []string{requests}
	if j.Collocated {
		out = append(out, pool("prompts and answers", &j.Prefill))
	} else {
		out = append(out, pool("prefill", &j.Prefill), pool("decode", &j.Decode))
	}
	for i, of := range []string{"prompts", "answers"} {
		if b := j.Busiest; i < len(b) && b[i] > 0 {
			out = append(out, fmt.Sprintf("%s: the GPU with the busiest experts gets %.2f times the mean of the tokens, and the others of its instance wait for it", of, b[i]))
		}
	}
	return out
}

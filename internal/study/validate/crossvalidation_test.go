package validate

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"weft/internal/base/cores"
	"weft/internal/sim/collective/nccl"
	"weft/internal/study/measured"
	"weft/scenario"
	"weft/units"
)

var (
	refit      = flag.Bool("refit", false, "fit the figures of NCCL's kernels, and write figures.csv and folds.csv")
	fitWorkers = flag.Int("refit-workers", 1, "cores of -refit")
)

const (
	figuresFile = "../../sim/collective/nccl/figures.csv"
	foldsFile   = "../measured/folds.csv"
)

// The fit's constants.
const (
	longestFitted = 512 * mib // above, a ring's bandwidth is the same
	switched      = 1 * gib   // there NVLS is bound by the switch
	scale         = .05       // usual error of a row: the scale of its distribution, which is Laplace's
	smooth        = .02       // below this error a row counts by its square
	near          = .7        // ln 2: the distance of a figure from its usual value
	enough        = .1        // gain of a step below which a search ends, of ln(probability)
	careful       = .3        // usual length of a step of ln(figure)
	slope         = .05       // step of ln(figure) for the slope of a row's time
	most          = 12        // steps of a fit
	rounds        = 2         // of kernels and of the software between nodes, each with the other's figures
)

// usual are round values of the figures on Hopper, chosen with fits in view, and ll128-turn on Ampere;
// [usualOf] has them for any generation.
var usual = nccl.Figures{
	nccl.Launch: 6, nccl.LaunchDoubling: .3,
	nccl.LLFlag: .7, nccl.LLTrip: .15, nccl.LLTurn: .3, nccl.LLRate: 6,
	nccl.LL128Flag: 1, nccl.LL128Trip: .1, nccl.LL128Turn: 2.5, nccl.LL128Rate: 15, nccl.LL128All: 348,
	nccl.SimpleFlag: 1, nccl.SimpleTurn: 4, nccl.SimpleSend: 20, nccl.SimpleCopy: 25, nccl.SimpleAll: 371,
	nccl.NVLSFlag: .1, nccl.NVLSTurn: 8, nccl.NVLSRate: 24, nccl.NVLSSwitch: 1,
	nccl.BetweenLL: 6, nccl.BetweenGDR: 12,
}

// linksGBps is NCCL's figure of the NVLinks of a GPU together: 12 × 20, 18 × 20.6, 18 × 40.1 GB/s.
// It is the usual value of SimpleAll, and 15/16 of it of LL128All.
var linksGBps = map[nccl.GPU]float64{nccl.Ampere: 240, nccl.Hopper: 371, nccl.Blackwell: 722}

var rates = []nccl.Figure{nccl.LLRate, nccl.LL128All, nccl.SimpleCopy, nccl.SimpleAll, nccl.NVLSRate}

// usualOf are the usual figures of a generation: where a search begins, and all that is known of a
// figure which no row shows. Times are alike on all generations, rates grow with the NVLinks, for NCCL
// runs as many blocks. Those of one block to a peer do not, for it waits for each of its trips.
func usualOf(g nccl.GPU) nccl.Figures {
	x := usual
	for _, k := range rates {
		x[k] *= linksGBps[g] / linksGBps[nccl.Hopper]
	}
	return x
}

type sourced struct {
	value  float64
	origin string
}

// given are the figures of a generation that are not fitted.
func given(g nccl.GPU) map[nccl.Figure]sourced {
	const hidden = "assumption: no row depends on it"
	out := map[nccl.Figure]sourced{nccl.LL128Trip: {.1, hidden}}
	if g != nccl.Hopper { // Hopper's rows between nodes have few blocks, which tell the rates apart
		out[nccl.LL128Rate] = sourced{16, "assumption: as on Hopper"}
	}
	if g > nccl.Ampere {
		out[nccl.LL128All] = sourced{linksGBps[g] * 15 / 16, "assumption: that of the links; no row shows a lower one"}
	}
	if g == nccl.Ampere {
		out[nccl.SimpleSend] = sourced{20, "assumption: as on Hopper; no row depends on it"}
	} else {
		out[nccl.NVLSFlag] = sourced{.1, hidden}
	}
	return out
}

var gpuOf = map[scenario.Architecture]nccl.GPU{scenario.Ampere: nccl.Ampere, scenario.Hopper: nccl.Hopper, scenario.Blackwell: nccl.Blackwell}

// fitRow is a row of a table in a fit.
type fitRow struct {
	c      *measured.Cluster
	m      *measured.Row
	kernel string // the prefix of the figures that count: ll-, ll128-, simple- or nvls-
	weight float64
	// kernels are the figures of the row's GPU, if only the software between nodes is fitted.
	kernels *nccl.Figures
}

// fits reports whether the fits take a row.
func fits(c *measured.Cluster, m *measured.Row) bool {
	if strings.HasPrefix(m.Note, "protocol not certain") {
		return false
	}
	if ok, _ := c.Scores(m); c.Fit == "" || !ok && c.Unscored == "" || m.Algorithm != "" || m.Bytes > longestFitted && m.Bytes != switched {
		return false
	}
	return c.Fit != measured.FitBetween || m.Bytes <= mib // above, the software's part between nodes is small
}

// fitRows are the rows that take part, with their kernels.
func fitRows(t *testing.T, part func(*measured.Cluster, *measured.Row) bool) (rows []fitRow) {
	t.Helper()
	clusters := measured.Clusters()
	for i := range clusters {
		c := &clusters[i]
		for j := range c.Rows {
			m := &c.Rows[j]
			if !part(c, m) {
				continue
			}
			s := c.Scenario(m)
			p, err := (&Env{Ctx: t.Context()}).firstPoint(c.ID, &s, nil)
			if err != nil {
				t.Fatal(err)
			}
			r := fitRow{c: c, m: m, weight: 1, kernel: strings.ToLower(p.Wire) + "-"}
			if strings.HasPrefix(p.Algorithm, "nvls") {
				r.kernel = "nvls-"
			}
			if m.Bytes != switched || r.kernel == "nvls-" {
				rows = append(rows, r)
			}
		}
	}
	return onlyLargest(rows)
}

// onlyLargest leaves of the rows of a table above 64 MiB, which take long, the largest one of each
// kind and kernel, with the weight of all.
func onlyLargest(rows []fitRow) (out []fitRow) {
	for i := range rows {
		r := rows[i]
		if r.m.Bytes > longest {
			for j := range rows {
				if of := &rows[j]; j != i && of.m.Bytes > longest && of.c == r.c && of.m.Kind() == r.m.Kind() && of.kernel == r.kernel && (of.m.Bytes < switched) == (r.m.Bytes < switched) {
					r.weight++
					if of.m.Bytes > r.m.Bytes {
						r.weight = 0
						break
					}
				}
			}
		}
		if r.weight > 0 {
			out = append(out, r)
		}
	}
	return out
}

// counts reports whether a figure has a part in the row's time.
func (r *fitRow) counts(f nccl.Figure) bool {
	name := f.String()
	if f >= nccl.BetweenLL {
		return r.c.Nodes > 1 && (f == nccl.BetweenLL) == (r.kernel == "ll-")
	}
	return strings.HasPrefix(name, "launch") || strings.HasPrefix(name, r.kernel)
}

// simulations are the times that were simulated.
type simulations map[simulated]float64

// simulated is a row with the figures that count in it.
type simulated struct {
	row     *measured.Row
	figures nccl.Figures
}

// errors are ln(weft's time / measured time) of rows.
func (s simulations) errors(rows []fitRow, x *nccl.Figures) []float64 {
	keys := make([]simulated, len(rows))
	var missing []int
	for i := range rows {
		keys[i] = simulated{row: rows[i].m}
		for f := range nccl.NumFigures {
			if rows[i].counts(f) {
				keys[i].figures[f] = x[f]
				if k := rows[i].kernels; k != nil && f < nccl.BetweenLL {
					keys[i].figures[f] = k[f]
				}
			}
		}
		if _, ok := s[keys[i]]; !ok {
			missing = append(missing, i)
		}
	}
	took := make([]float64, len(rows))
	cores.Each(len(missing), *fitWorkers, func(j int) {
		i := missing[j]
		sc := rows[i].c.Scenario(rows[i].m)
		p, err := (&Env{Ctx: context.Background()}).firstPoint(rows[i].c.ID, &sc, &keys[i].figures)
		if err != nil {
			panic(err)
		}
		took[i] = float64(p.Time)
	})
	for _, i := range missing {
		s[keys[i]] = took[i]
	}
	out := make([]float64, len(rows))
	for i := range rows {
		out[i] = math.Log(s[keys[i]] / float64(rows[i].m.Time))
	}
	return out
}

// fit is a search for figures: the most probable ones, if a row's error has Laplace's distribution,
// and a figure is near its usual value. Each step is a Gauss-Newton step with weights by error.
type fit struct {
	simulations
	rows  []fitRow
	free  []nccl.Figure
	x     nccl.Figures // with all other figures
	usual nccl.Figures
	after *fit // of the figures of few blocks, with rows between nodes
	bound *fit // of the rate through the switch, after the others
}

// loss is the negative logarithm of the probability of errors, at figures.
func (f *fit) loss(errors []float64, x *nccl.Figures) (sum float64) {
	for i, e := range errors {
		sum += f.rows[i].weight * (math.Hypot(e, smooth) - smooth) / scale
	}
	for _, k := range f.free {
		d := math.Log(x[k]/f.usual[k]) / near
		sum += d * d / 2
	}
	return sum
}

// slopes are how ln(time) of each row changes with ln(figure); errors are those at x.
func (f *fit) slopes(errors []float64) *mat.Dense {
	slopes := mat.NewDense(len(f.rows), len(f.free), nil)
	for j, k := range f.free {
		x := f.x
		x[k] *= math.Exp(slope)
		for i, e := range f.errors(f.rows, &x) {
			slopes.Set(i, j, (e-errors[i])/slope)
		}
	}
	return slopes
}

// search moves x to the least loss. Simulations are rare: a step is the best one by the slopes, or a
// part of it. The slopes are computed again once, when the step no longer helps.
func (f *fit) search(t *testing.T) {
	t.Helper()
	errors := f.errors(f.rows, &f.x)
	slopes, again := f.slopes(errors), true
	for range most {
		step, gain := f.step(t, errors, slopes), 0.
		for _, part := range []float64{1, .3, .1} {
			x := f.x
			for _, k := range f.free {
				x[k] *= math.Pow(step[k]/f.x[k], part)
			}
			next := f.errors(f.rows, &x)
			if gain = f.loss(errors, &f.x) - f.loss(next, &x); gain > 0 {
				f.x, errors = x, next
				break
			}
		}
		switch {
		case gain >= enough:
		case again:
			slopes, again = f.slopes(errors), false
		default:
			return
		}
	}
}

// step is the figures of the least loss by the slopes, if a far figure costs more: weighted least
// squares, whose weights follow the errors.
func (f *fit) step(t *testing.T, errors []float64, slopes *mat.Dense) nccl.Figures {
	t.Helper()
	x, n := f.x, len(f.free)
	for range 20 {
		moved := mat.NewVecDense(n, nil)
		for j, k := range f.free {
			moved.SetVec(j, math.Log(x[k]/f.x[k]))
		}
		var now mat.VecDense
		now.MulVec(slopes, moved)
		normal, right := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		for i, e := range errors {
			e += now.AtVec(i)
			weight, row := f.rows[i].weight/scale/math.Hypot(e, smooth), slopes.RowView(i)
			var outer mat.Dense
			outer.Outer(weight, row, row)
			normal.Add(normal, &outer)
			right.AddScaledVec(right, -weight*e, row)
		}
		for j, k := range f.free {
			normal.Set(j, j, normal.At(j, j)+1/near/near+1/careful/careful)
			right.SetVec(j, right.AtVec(j)-math.Log(x[k]/f.usual[k])/near/near-moved.AtVec(j)/careful/careful)
		}
		var by mat.VecDense
		if err := by.SolveVec(normal, right); err != nil {
			t.Fatal(err)
		}
		for j, k := range f.free {
			x[k] = f.x[k] * math.Exp(max(-1, min(moved.AtVec(j)+by.AtVec(j), 1)))
		}
	}
	return x
}

// interval is the factor of the 95 % interval of each free figure.
func (f *fit) interval(t *testing.T) map[nccl.Figure]float64 {
	t.Helper()
	errors := f.errors(f.rows, &f.x)
	slopes := f.slopes(errors)
	squares := 0.
	for _, e := range errors {
		squares += e * e
	}
	n := len(f.free)
	var information, inverse mat.Dense
	information.Mul(slopes.T(), slopes)
	information.Scale(float64(max(1, len(errors)-n))/squares, &information)
	for j := range n {
		information.Set(j, j, information.At(j, j)+1/near/near)
	}
	if err := inverse.Inverse(&information); err != nil {
		t.Fatal(err)
	}
	out := map[nccl.Figure]float64{}
	for j, k := range f.free {
		out[k] = math.Exp(1.96 * math.Sqrt(inverse.At(j, j)))
	}
	return out
}

// refitting is all fits.
type refitting struct {
	simulations
	rows []fitRow
}

// of are the rows of one node of a generation, without a cluster, or those that are bound by the
// switch.
func (r *refitting) of(g nccl.GPU, bound bool, without string) (out []fitRow) {
	for _, row := range r.rows {
		if row.c.Fit == measured.FitNode && row.m.Bytes == switched == bound && row.c.ID != without && gpuOf[row.c.Architecture] == g {
			out = append(out, row)
		}
	}
	return out
}

// fewBlocks are the figures that rows between nodes show, and one node, which runs many blocks, hardly.
var fewBlocks = []nccl.Figure{nccl.LL128Flag, nccl.LL128Turn, nccl.LL128Rate, nccl.LL128All, nccl.SimpleSend}

// few are a generation's rows that depend on them, without a cluster.
func (r *refitting) few(g nccl.GPU, without string) (out []fitRow) {
	for _, row := range r.rows {
		if row.m.Bytes != switched && (row.kernel == "ll128-" || row.kernel == "simple-") && row.c.ID != without && gpuOf[row.c.Architecture] == g {
			out = append(out, row)
		}
	}
	return out
}

// small are the rows of the software between nodes, without a cluster.
func (r *refitting) small(without string) (out []fitRow) {
	for _, row := range r.rows {
		if row.c.Fit != measured.FitNode && row.m.Bytes <= mib && row.c.ID != without {
			out = append(out, row)
		}
	}
	return out
}

// kernels fits the figures of a generation's kernels, with figures of the software between nodes.
func (r *refitting) kernels(t *testing.T, g nccl.GPU, between *nccl.Figures, without string) *fit {
	t.Helper()
	f := &fit{simulations: r.simulations, rows: r.of(g, false, without), x: usualOf(g), usual: usualOf(g)}
	copy(f.x[nccl.BetweenLL:], between[nccl.BetweenLL:])
	for k := range nccl.BetweenLL {
		if s, ok := given(g)[k]; ok {
			f.x[k] = s.value
		} else if k == nccl.NVLSSwitch && g > nccl.Ampere {
			continue // fitted alone
		} else if g > nccl.Ampere || !strings.HasPrefix(k.String(), "nvls-") {
			f.free = append(f.free, k)
		} else {
			f.x[k] = 0
		}
	}
	f.search(t)
	f.after = &fit{simulations: r.simulations, rows: r.few(g, without), x: f.x, usual: f.usual}
	for _, k := range fewBlocks {
		if slices.Contains(f.free, k) {
			f.after.free = append(f.after.free, k)
		}
	}
	f.after.search(t)
	f.x = f.after.x
	if g > nccl.Ampere {
		f.bound = &fit{simulations: r.simulations, rows: r.of(g, true, without), x: f.x, usual: f.usual, free: []nccl.Figure{nccl.NVLSSwitch}}
		if len(f.bound.rows) > 0 {
			f.bound.search(t)
		}
		f.x = f.bound.x
	}
	return f
}

// between fits the software between nodes on all generations, whose kernels are fitted.
func (r *refitting) between(t *testing.T, of map[nccl.GPU]*fit, without string) *fit {
	t.Helper()
	f := &fit{
		simulations: r.simulations, rows: r.small(without), x: usual, usual: usual,
		free: []nccl.Figure{nccl.BetweenLL, nccl.BetweenGDR},
	}
	for i := range f.rows {
		f.rows[i].kernels = &of[gpuOf[f.rows[i].c.Architecture]].x
	}
	f.search(t)
	return f
}

// with is the figures of a generation's kernels and of the software between nodes.
func with(kernels, between *fit) nccl.Figures {
	x := kernels.x
	copy(x[nccl.BetweenLL:], between.x[nccl.BetweenLL:])
	return x
}

// TestCrossValidation fits the figures of NCCL's kernels, once to all tables, and once without each
// of them, and writes figures.csv and folds.csv. It takes minutes:
//
//	go test ./internal/study/validate -run CrossValidation -refit -v -timeout 1h
//	go test ./internal/study/validate -run Predicted -update -full
func TestCrossValidation(t *testing.T) {
	if !*refit {
		t.Skip("without -refit")
	}
	r := &refitting{simulations: simulations{}, rows: fitRows(t, fits)}
	gpus := []nccl.GPU{nccl.Ampere, nccl.Hopper, nccl.Blackwell}
	full, between := map[nccl.GPU]*fit{}, &fit{x: usual}
	for range rounds {
		for _, g := range gpus {
			full[g] = r.kernels(t, g, &between.x, "")
			t.Log(g, full[g])
		}
		between = r.between(t, full, "")
		t.Log("between nodes", between)
	}
	var figures, folds []nccl.Estimate
	for _, g := range gpus {
		estimates := full[g].estimates(t, g.String(), given(g))
		figures = append(figures, append(estimates, between.estimates(t, g.String(), nil)...)...)
	}
	clusters := measured.Clusters()
	for i := range clusters {
		c := &clusters[i]
		if c.Fit == "" {
			continue
		}
		g, without, of := gpuOf[c.Architecture], between, maps.Clone(full)
		if c.Fit != measured.FitNode {
			without = r.between(t, full, c.ID)
			t.Log("without", c.ID, without)
		}
		of[g] = r.kernels(t, g, &without.x, c.ID)
		t.Log("without", c.ID, of[g])
		x := with(of[g], without)
		for k, value := range x {
			if value > 0 {
				folds = append(folds, nccl.Estimate{Of: c.ID, Figure: nccl.Figure(k), Value: value})
			}
		}
	}
	writeFigures(t, figuresFile, figures)
	writeFigures(t, foldsFile, folds)
}

// TestAFitFindsTheFiguresThatMadeTheTimes gives rows the times of known figures, and begins at other
// ones.
func TestAFitFindsTheFiguresThatMadeTheTimes(t *testing.T) {
	made := *nccl.MeasuredOf(nccl.Hopper)
	f := &fit{simulations: simulations{}, x: made, usual: usual, free: []nccl.Figure{nccl.Launch, nccl.LLTurn, nccl.LLRate}}
	for _, r := range fitRows(t, func(c *measured.Cluster, m *measured.Row) bool {
		return c.ID == "H100" && m.Op == scenario.AllGather && m.Bytes >= 32*kib && m.Bytes <= 2*mib
	}) {
		known := *r.m
		r.m = &known
		known.Time = units.Time(float64(known.Time) * math.Exp(f.errors([]fitRow{r}, &made)[0]))
		f.rows = append(f.rows, r)
	}
	if len(f.rows) < 6 {
		t.Fatalf("%d rows", len(f.rows))
	}
	clear(f.simulations)
	for _, k := range f.free {
		f.x[k] *= 1.4
	}
	f.search(t)
	for _, k := range f.free {
		if off := f.x[k]/made[k] - 1; math.Abs(off) > .03 {
			t.Errorf("%s is %.4g, want %.4g", k, f.x[k], made[k])
		}
	}
}

// TestMeasuredRatesGrowWithTheLinks: a rate that no row shows is guessed from the GPU's links, so
// the measured ones must be near it.
func TestMeasuredRatesGrowWithTheLinks(t *testing.T) {
	for g := range linksGBps {
		use, usual := nccl.MeasuredOf(g), usualOf(g)
		for _, k := range rates {
			if off := math.Abs(math.Log(use[k] / usual[k])); use[k] > 0 && off > near {
				t.Errorf("%v: %v is %.4g, and %.4g is usual", g, k, use[k], usual[k])
			}
		}
	}
}

// TestTheFoldsAreOfTheFits finds figures without each cluster of a fit, and none without another.
func TestTheFoldsAreOfTheFits(t *testing.T) {
	for _, c := range measured.Clusters() {
		if c.Without == nil != (c.Fit == "") {
			t.Errorf("%s has figures without it: %t; its fit is %q", c.ID, c.Without != nil, c.Fit)
			continue
		}
		if c.Without == nil {
			continue
		}
		use := nccl.MeasuredOf(gpuOf[c.Architecture])
		for k := range nccl.NumFigures {
			if (use[k] > 0) != (c.Without[k] > 0) {
				t.Errorf("%s: %s is %g without it, and %g in use", c.ID, k, c.Without[k], use[k])
			}
		}
		if *use == *c.Without {
			t.Errorf("%s: the figures without it are those in use", c.ID)
		}
	}
}

// String is the rows, their mean error and the figures.
func (f *fit) String() string {
	sum := 0.
	for _, e := range f.errors(f.rows, &f.x) {
		sum += math.Abs(e)
	}
	out := fmt.Sprintf("%d rows, mean %.1f %%:", len(f.rows), 100*sum/float64(len(f.rows)))
	for _, k := range f.free {
		out += fmt.Sprintf(" %s %.3g", k, f.x[k])
	}
	for _, later := range []*fit{f.after, f.bound} {
		if later != nil {
			out += "; " + later.String()
		}
	}
	return out
}

// estimates are the fitted and the given figures.
func (f *fit) estimates(t *testing.T, of string, given map[nccl.Figure]sourced) (out []nccl.Estimate) {
	t.Helper()
	wide := f.interval(t)
	for _, later := range []*fit{f.after, f.bound} {
		if later != nil {
			maps.Copy(wide, later.interval(t))
		}
	}
	for k := range nccl.NumFigures {
		if by, ok := wide[k]; ok {
			out = append(out, nccl.Estimate{Of: of, Figure: k, Value: f.x[k], Low: f.x[k] / by, High: f.x[k] * by})
		} else if s, ok := given[k]; ok {
			out = append(out, nccl.Estimate{Of: of, Figure: k, Value: s.value, Origin: s.origin})
		}
	}
	return out
}

// writeFigures writes estimates as nccl.ReadFigures reads them.
func writeFigures(t *testing.T, file string, estimates []nccl.Estimate) {
	t.Helper()
	to, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	number := func(x float64) string {
		if x == 0 {
			return ""
		}
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	lines := [][]string{strings.Split(nccl.FiguresColumns, ",")}
	for i := range estimates {
		e := &estimates[i]
		lines = append(lines, []string{e.Of, e.Figure.String(), number(e.Value), number(e.Low), number(e.High), e.Origin})
	}
	if err := csv.NewWriter(to).WriteAll(lines); err != nil {
		t.Fatal(err)
	}
}

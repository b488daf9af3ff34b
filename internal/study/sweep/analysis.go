package sweep

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"weft/internal/base/sorting"
	"weft/scenario"
)

// analysed bounds the rows that an analysis holds; more are drawn from.
const analysed = 50_000

// streamSample is the random stream of Sample. Every other draw of weft has its own stream.
const streamSample = 19

// Sample draws at most a given number of n things, the same ones each time. The returned function is called for one thing
// after the other, and reports whether the sample has it. A sample of every k-th thing could have a single value of
// an axis, because the values of axes come in a cycle.
func Sample(n, most int) func() bool {
	random := rand.New(rand.NewPCG(uint64(n), streamSample))
	return func() bool {
		drawn := random.IntN(max(1, n)) < most
		if n--; drawn {
			most--
		}
		return drawn
	}
}

// groupsMost bounds the groups of an axis in a sensitivity: an axis with more values is cut into as many
// ranges with equally many rows.
const groupsMost = 12

// Analysis is what the rows say together.
type Analysis struct {
	Table  *Table
	Lines  []*Line  // with a result, in the order of variants; at most analysed, drawn from all
	Of     int      // rows with a result
	Factor []Factor // what varies apart from the size, the most important first
	// Pareto are the lines with the largest size that no other line dominates, the fastest first: none is at least as
	// good in every objective and better in one. Slowest takes the longest time of that size. Both are of all rows.
	Pareto  []*Line
	Slowest *Line
	// Choices are the points of the axes, on each fabric, at that size, with their times over seeds; the least mean first.
	// They are of all rows.
	Choices []Choice

	chosen map[string]int // place in Choices, by the values of the axes and the fabric
	logs   []float64      // by line: logarithm of its time over the mean of its size
}

// Choice is a point of the axes on a fabric.
type Choice struct {
	First *Line     // of its first seed with a result
	Times []float64 // by seed, of those with a result
	Marks float64   // packets that were marked, over all seeds
	Stops float64   // pauses of PFC
}

// mean is the mean time.
func (c *Choice) mean() float64 { return stat.Mean(c.Times, nil) }

// choose adds a line of the largest size to its choice.
func (a *Analysis) choose(l *Line) {
	key := strings.Join(append(slices.Clone(l.Variant.Values), l.Row.Fabric), "\x00")
	at, known := a.chosen[key]
	if !known {
		at = len(a.Choices)
		a.chosen[key] = at
		a.Choices = append(a.Choices, Choice{First: l})
	}
	c := &a.Choices[at]
	c.Times = append(c.Times, l.Time())
	for of, sum := range map[scenario.SweepQuantity]*float64{"ecn_marks": &c.Marks, "pfc_pauses": &c.Stops} {
		if place := a.Table.Space.Kind.place(of); place >= 0 {
			*sum += l.Row.Values[place]
		}
	}
}

// Factor is something that varies: an axis, the fabric or the seed.
type Factor struct {
	Name   string // as people read it
	Share  float64
	Values []string // distinct, numbers rising, words in the order of their first variant; at most analysed
	Texts  []string // the values as the sweep's file has them
	Number bool

	places []int // by line: index in Values
}

// Analyse reads the rows with a result.
func (t *Table) Analyse() (*Analysis, error) {
	a := &Analysis{Table: t, Of: t.Counts[OK]}
	drawn := Sample(a.Of, analysed)
	main, tail := t.Space.Kind.place(t.Space.Kind.Main), t.Space.Kind.place(t.Space.Kind.Tail)
	of := t.Space.Kind.against()
	for line, err := range t.Lines() {
		if err != nil {
			return nil, err
		}
		if line.Status != OK {
			continue
		}
		take := drawn()
		line.main, line.tail = main, tail
		if line.Time() <= 0 {
			continue
		}
		if take {
			a.Lines = append(a.Lines, line)
		}
		a.compare(line, of)
	}
	sorting.StableFunc(a.Pareto, func(x, y *Line) int {
		for _, o := range of {
			switch {
			case o.worse(y, x):
				return -1
			case o.worse(x, y):
				return 1
			}
		}
		return 0
	})
	sorting.StableFunc(a.Choices, func(x, y Choice) int { return cmp.Compare(x.mean(), y.mean()) })
	a.relate()
	for c := range t.Columns {
		if name := t.Columns[c].Name; t.Columns[c].Path != "" || name == "fabric" || name == "seed" {
			if f := a.factor(c); len(f.Values) > 1 {
				a.Factor = append(a.Factor, f)
			}
		}
	}
	sorting.StableFunc(a.Factor, func(x, y Factor) int { return cmp.Compare(y.Share, x.Share) })
	return a, nil
}

// relate relates each time to the mean of its size: a larger message takes longer, and that is no finding.
func (a *Analysis) relate() {
	sums, counts := map[int64]float64{}, map[int64]float64{}
	for _, l := range a.Lines {
		sums[l.Bytes] += math.Log(l.Time())
		counts[l.Bytes]++
	}
	for _, l := range a.Lines {
		a.logs = append(a.logs, math.Log(l.Time())-sums[l.Bytes]/counts[l.Bytes])
	}
}

// Time is the quantity of a line that is compared, in picoseconds: Kind.Main.
func (l *Line) Time() float64 { return l.Row.Values[l.main] }

// Tail is Kind.Tail of a line in picoseconds.
func (l *Line) Tail() float64 { return l.Row.Values[l.tail] }

// factor is a column as a factor.
func (a *Analysis) factor(c int) Factor {
	f := Factor{Name: a.Table.Columns[c].Measure.Heading, Number: a.Table.Columns[c].kind != textual}
	index, texts := map[any]int{}, map[any]string{}
	var values []any
	for _, l := range a.Lines {
		x := a.Table.Columns[c].value(l)
		if _, known := index[x]; !known {
			index[x], texts[x] = 0, asText(x)
			if a.Table.Columns[c].Path != "" {
				texts[x] = l.Variant.Values[c-1] // the axes follow the number
			}
			values = append(values, x)
		}
	}
	if f.Number {
		sorting.Func(values, func(x, y any) int { return cmp.Compare(asNumber(x), asNumber(y)) })
	}
	for i, x := range values {
		index[x] = i
		f.Values, f.Texts = append(f.Values, asText(x)), append(f.Texts, texts[x])
	}
	for _, l := range a.Lines {
		f.places = append(f.places, index[a.Table.Columns[c].value(l)])
	}
	f.Share = a.share(&f)
	return f
}

func asNumber(x any) float64 {
	if n, ok := x.(int64); ok {
		return float64(n)
	}
	n, _ := x.(float64)
	return n
}

func asText(x any) string {
	switch x := x.(type) {
	case string:
		return x
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	return ""
}

// share is the part of the variance of the logarithm of the time, at equal size, that the means of a factor's groups
// explain, less the part that as many groups of chance would explain (adjusted R²); 0 at least.
func (a *Analysis) share(f *Factor) float64 {
	n := len(a.Lines)
	group := f.groups()
	sums, counts := map[int]float64{}, map[int]float64{}
	sum, squares := 0.0, 0.0
	for i, x := range a.logs {
		sum, squares = sum+x, squares+float64(x*x)
		sums[group[i]] += x
		counts[group[i]]++
	}
	mean := sum / float64(max(1, n))
	total := squares - float64(sum*mean)
	if total <= 1e-12 || n <= len(counts) {
		return 0
	}
	between := 0.0
	for g := range groupsMost + analysed {
		if counts[g] > 0 {
			d := sums[g]/counts[g] - mean
			between += float64(counts[g] * float64(d*d))
		}
	}
	explained := between / total
	return max(0, 1-float64((1-explained)*float64(n-1))/float64(n-len(counts)))
}

// groups are the groups of a factor by line: its values, or ranges of them if there are many.
func (f *Factor) groups() []int {
	if len(f.Values) <= groupsMost {
		return f.places
	}
	out := make([]int, len(f.places))
	for i, p := range f.places {
		out[i] = p * groupsMost / len(f.Values)
	}
	return out
}

// Place is the index of a line's value among the factor's values.
func (f *Factor) Place(i int) int { return f.places[i] }

// compare holds a line against the lines of the Pareto set so far, and against the slowest.
func (a *Analysis) compare(l *Line, objectives []objective) {
	if a.Slowest != nil && l.Bytes < a.Slowest.Bytes {
		return
	}
	if a.Slowest == nil || l.Bytes > a.Slowest.Bytes {
		a.Slowest, a.Pareto, a.Choices, a.chosen = l, nil, nil, make(map[string]int)
	}
	a.choose(l)
	if l.Time() > a.Slowest.Time() {
		a.Slowest = l
	}
	reaches := func(x, y *Line) bool {
		return !slices.ContainsFunc(objectives, func(o objective) bool { return o.worse(x, y) })
	}
	if slices.ContainsFunc(a.Pareto, func(f *Line) bool { return reaches(f, l) }) {
		return
	}
	a.Pareto = append(slices.DeleteFunc(a.Pareto, func(f *Line) bool { return reaches(l, f) }), l)
}

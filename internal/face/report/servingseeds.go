package report

import (
	"fmt"
	"slices"

	"weft/internal/base/stats"
	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// servingSeeds is the section of a point over seeds, with sentences on differences that all seeds show.
// It is empty for one seed.
func servingSeeds(s *results.Serving, p *results.ServingPoint) (section doc.Section, sentences []string) {
	if p.IdealSeeds == nil {
		return section, nil
	}
	t := spreadsTable("of a run's requests")
	add := func(name string, x *results.ServingSeeds) {
		if x.Unstable > 0 {
			sentences = append(sentences, fmt.Sprintf("%s has no steady state with %d of %d seeds.", name, x.Unstable, x.Seeds))
		}
		if x.Unstable == x.Seeds {
			return
		}
		addSpread(t, name, "first token, P50", &x.FirstTokenP50)
		addSpread(t, "", "first token, P99", &x.FirstTokenP99)
		addSpread(t, "", "per token, P50", &x.PerTokenP50)
		addSpread(t, "", "per token, P99", &x.PerTokenP99)
		g := &x.Good
		t.Add(doc.Text(""), doc.Text("good"), doc.Tenths(g.Mean), doc.Tenths(g.Low), doc.Tenths(g.High), doc.Tenths(g.Least), doc.Tenths(g.Most))
	}
	for i := range p.Fabrics {
		add(p.Fabrics[i].Name, p.Fabrics[i].Seeds)
	}
	best := leastOf(len(p.Fabrics), func(i int) (int64, bool) {
		x := p.Fabrics[i].Seeds
		return x.FirstTokenP99.MeanPs, x.Unstable == 0
	})
	add(withoutNetwork, p.IdealSeeds)
	for i := range p.Fabrics {
		if best >= 0 && i != best {
			sentences = append(sentences, paired(&p.Fabrics[best], &p.Fabrics[i])...)
		}
	}
	return overSeeds(p.IdealSeeds.Seeds, s.Seed, t), sentences
}

// paired compares the first token at P99 of two fabrics seed by seed, since a seed gives both the same
// requests. With fewer than two seeds it says nothing.
func paired(fast, slow *results.ServingFabric) []string {
	var of, to []float64
	for k, own := range slow.Seeds.FirstTokenP99s {
		if least := fast.Seeds.FirstTokenP99s[k]; own > 0 && least > 0 {
			of, to = append(of, float64(own)), append(to, float64(least))
		}
	}
	if len(of) < 2 {
		return nil
	}
	if slices.Equal(of, to) {
		return []string{fmt.Sprintf("With the same requests the first token at P99 takes as long on %s as on %s, to the picosecond.", quoted(slow.Name), quoted(fast.Name))}
	}
	d := stats.Contrast(of, to, true)
	text := fmt.Sprintf("With the same requests the first token at P99 takes %v longer on %s than on %s (95 %%: %v to %v)", units.Time(d.Mean), quoted(slow.Name), quoted(fast.Name), units.Time(d.Low), units.Time(d.High))
	if d.Low <= 0 {
		text += ": these seeds do not show which is faster"
	}
	return []string{text + "."}
}

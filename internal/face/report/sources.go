package report

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// shared names the senders of a link's bytes, the largest share first; empty if streams sent none
// of them.
func shared(h results.HotLink) string {
	if len(h.Sources) < 2 || h.Bytes <= 0 {
		return ""
	}
	parts := slices.Clone(h.Sources)
	sorting.StableFunc(parts, func(a, b results.LinkSource) int { return cmp.Compare(b.Bytes, a.Bytes) })
	var texts []string
	for _, p := range parts {
		texts = append(texts, fmt.Sprintf("%s %s", quoted(p.Name), percent(float64(p.Bytes)/float64(h.Bytes))))
	}
	return list(texts)
}

// ofItsBytes is shared as the end of a sentence about a link.
func ofItsBytes(h results.HotLink) string {
	if text := shared(h); text != "" {
		return "; of its bytes, " + text
	}
	return ""
}

// streamSum is the result of the streams with a name beside a workload, and their share of the
// busiest link's bytes.
type streamSum struct {
	name    string
	streams int
	results.Stream
	share float64
}

// streamSums are the sums of a point, in the order of the scenario.
func streamSums(p *results.Point) (out []streamSum) {
	for _, s := range p.Beside {
		i := slices.IndexFunc(out, func(x streamSum) bool { return x.name == s.Name })
		if i < 0 {
			i = len(out)
			out = append(out, streamSum{name: s.Name, Stream: results.Stream{Operation: s.Operation, Class: s.Class}})
		}
		x := &out[i]
		x.streams++
		x.GBps += s.GBps
		x.MeanPs += s.MeanPs * s.Messages // divided below
		x.Messages += s.Messages
		x.P99Ps, x.MaxPs = max(x.P99Ps, s.P99Ps), max(x.MaxPs, s.MaxPs)
	}
	h, known := hottest(*p)
	for i := range out {
		x := &out[i]
		x.MeanPs /= max(1, x.Messages)
		for _, s := range h.Sources {
			if known && s.Name == x.name && h.Bytes > 0 {
				x.share = float64(s.Bytes) / float64(h.Bytes)
			}
		}
	}
	return out
}

// streamTable is the results of the streams beside a workload, a row per size, fabric and name.
func streamTable(r *results.Results) *doc.Table {
	t := doc.NewTable("size", "fabric", "stream", "", "streams", "messages", "GB/s", "mean", "p99", "share")
	for _, size := range sizes(r) {
		label := sizeCell(size)
		for _, f := range r.Fabrics {
			p, ok := point(f, size)
			if !ok || !p.Measured() {
				continue
			}
			for _, s := range streamSums(&p) {
				t.Add(label, doc.Text(doc.Fit(f.Name, 22)), doc.Text(doc.Fit(s.name, 20)), doc.Text(s.Operation), doc.Count(s.streams), doc.Count(s.Messages), doc.Bandwidth(s.GBps),
					doc.Time(units.Time(s.MeanPs)), doc.Time(units.Time(s.P99Ps)), doc.Share(s.share))
				label = doc.Cell{}
			}
		}
	}
	return t
}

// meanwhile states the results of the streams beside a workload at a size.
func (v *judgement) meanwhile(f, s int) (out []string) {
	p := &v.points[f][s]
	for _, x := range streamSums(p) {
		streams := ""
		if x.streams > 1 {
			streams = fmt.Sprintf(" (%d streams, %s GB/s each on average)", x.streams, shortBandwidth(x.GBps/float64(x.streams)))
		}
		size := ""
		if v.sizes[s] != 0 {
			size = "At " + sizeText(v.sizes[s]) + ", "
		}
		out = append(out, fmt.Sprintf("%s%s on %s gets %s GB/s%s beside the workload.", size, quoted(x.name), quoted(v.result(f).Name), shortBandwidth(x.GBps), streams))
	}
	return out
}

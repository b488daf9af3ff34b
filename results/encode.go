package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"weft/internal/base/jsontext"
	"weft/units"
)

// Significant digits of a float in results.json: more than are meaningful, and few enough that
// processors with different fused operations write the same file.
const (
	bandwidthDigits = 7
	shareDigits     = 5
)

// pointJSON is a Point in results.json. Times are integers: units.Time by
// itself would be written as text.
type pointJSON struct {
	Bytes      int64            `json:"bytes"`
	Algorithm  string           `json:"algorithm,omitempty"`
	Wire       string           `json:"wire,omitempty"`
	Channels   int              `json:"channels,omitempty"`
	TimePs     int64            `json:"time_ps"`
	AlgBW      float64          `json:"algbw_gbytes_per_s"`
	BusBW      float64          `json:"busbw_gbytes_per_s"`
	Seeds      *Seeds           `json:"seeds,omitempty"`
	NoJitter   bool             `json:"without_jitter,omitempty"`
	Estimate   *Estimate        `json:"estimate,omitempty"`
	FlowsPs    distributionJSON `json:"flow_completion_ps"`
	Counts     Counts           `json:"counts"`
	Hottest    []HotLink        `json:"hottest_links"`
	Exchange   *Exchange        `json:"exchange,omitempty"`
	Fault      *FaultPoint      `json:"faults,omitempty"`
	Violations []Violation      `json:"violations,omitempty"`
	Traps      *Traps           `json:"traps,omitempty"`
	Levels     []levelJSON      `json:"service_levels,omitempty"`
	Pauses     *Pauses          `json:"pauses,omitempty"`
	Beside     []Stream         `json:"beside,omitempty"`
	Partial    bool             `json:"partial,omitempty"`
	Failure    string           `json:"failure,omitempty"`
}

type distributionJSON struct {
	N    int64 `json:"n"`
	Mean int64 `json:"mean"`
	P50  int64 `json:"p50"`
	P99  int64 `json:"p99"`
	P999 int64 `json:"p999"`
	Max  int64 `json:"max"`

	Fairness float64 `json:"fairness"`
}

type levelJSON struct {
	SL      units.SL         `json:"sl"`
	FlowsPs distributionJSON `json:"flow_completion_ps"`
}

// json is the distribution in results.json.
func (d Distribution) json() distributionJSON {
	return distributionJSON{d.N, int64(d.Mean), int64(d.P50), int64(d.P99), int64(d.P999), int64(d.Max), rounded(d.Fairness, shareDigits)}
}

// distribution is the distribution from results.json.
func (d distributionJSON) distribution() Distribution {
	return Distribution{
		N: d.N, Mean: units.Time(d.Mean), P50: units.Time(d.P50), P99: units.Time(d.P99),
		P999: units.Time(d.P999), Max: units.Time(d.Max), Fairness: d.Fairness,
	}
}

// MarshalJSON writes times as integer picoseconds and rounds floats.
func (p Point) MarshalJSON() ([]byte, error) { return json.Marshal(p.json()) }

// json is the point in results.json.
func (p *Point) json() pointJSON {
	hottest := make([]HotLink, len(p.Hottest))
	for i, h := range p.Hottest {
		h.Busy = rounded(h.Busy, shareDigits)
		hottest[i] = h
	}
	pauses := p.Pauses
	if pauses != nil {
		own := *pauses
		own.Links = slices.Clone(own.Links)
		for i := range own.Links {
			own.Links[i].Share = rounded(own.Links[i].Share, shareDigits)
		}
		pauses = &own
	}
	var levels []levelJSON
	for _, l := range p.Levels {
		levels = append(levels, levelJSON{l.SL, l.Flows.json()})
	}
	return pointJSON{
		Bytes: p.Bytes, Algorithm: p.Algorithm, Wire: p.Wire, Channels: p.Channels,
		TimePs: int64(p.Time), AlgBW: rounded(p.AlgBW, bandwidthDigits), BusBW: rounded(p.BusBW, bandwidthDigits),
		Seeds: p.Seeds, NoJitter: p.WithoutJitter, Estimate: p.Estimate, FlowsPs: p.Flows.json(),
		Counts: p.Counts, Hottest: hottest, Exchange: p.Exchange, Fault: p.Fault, Violations: p.Violations, Traps: p.Traps, Levels: levels, Pauses: pauses, Beside: roundedStreams(p.Beside), Partial: p.Partial, Failure: p.Failure,
	}
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Point) UnmarshalJSON(text []byte) error {
	var q pointJSON
	if err := strictly(text, &q); err != nil {
		return err
	}
	var levels []Level
	for _, l := range q.Levels {
		levels = append(levels, Level{l.SL, l.FlowsPs.distribution()})
	}
	*p = Point{
		Bytes: q.Bytes, Algorithm: q.Algorithm, Wire: q.Wire, Channels: q.Channels,
		Time: units.Time(q.TimePs), AlgBW: q.AlgBW, BusBW: q.BusBW,
		Seeds: q.Seeds, WithoutJitter: q.NoJitter, Estimate: q.Estimate, Flows: q.FlowsPs.distribution(),
		Counts: q.Counts, Hottest: q.Hottest, Exchange: q.Exchange, Fault: q.Fault, Violations: q.Violations, Traps: q.Traps, Levels: levels, Pauses: q.Pauses, Beside: q.Beside, Partial: q.Partial, Failure: q.Failure,
	}
	return nil
}

// RoundedBandwidth is a bandwidth as results.json has it.
func RoundedBandwidth(x float64) float64 { return rounded(x, bandwidthDigits) }

// RoundedShare is a share or an index as results.json has it.
func RoundedShare(x float64) float64 { return rounded(x, shareDigits) }

// rounded is x rounded to a number of significant digits; NaN and infinities become 0.
func rounded(x float64, digits int) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	return y
}

// Encode is the text of results.json: the same bytes for the same results.
func (r *Results) Encode() ([]byte, error) {
	out := *r
	out.Version = ResultsVersion
	out.Fabrics = append([]FabricResult{}, r.Fabrics...) // never null
	for i, f := range out.Fabrics {
		out.Fabrics[i].Points = append([]Point{}, f.Points...)
	}
	return jsontext.Encode(out)
}

// DecodeResults reads results.json of this version and of version 1, which has fewer fields. It
// refuses other versions: their fields may have other meanings.
func DecodeResults(text []byte) (*Results, error) {
	if n := bytes.Count(text, []byte{','}); n > mostValues {
		return nil, fmt.Errorf("the results have %d values: this weft reads up to %d", n, mostValues)
	}
	var head struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("this is not the results of a run: %w", err)
	}
	if head.Version == nil {
		return nil, fmt.Errorf("this is not the results of a run: it states no version")
	}
	if *head.Version < 1 || *head.Version > ResultsVersion {
		return nil, fmt.Errorf("the results are of version %d, and this weft reads versions 1 to %d: run the scenario again", *head.Version, ResultsVersion)
	}
	var r Results
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return nil, fmt.Errorf("the results cannot be read: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("the results cannot be read: something follows their end")
	}
	return &r, nil
}

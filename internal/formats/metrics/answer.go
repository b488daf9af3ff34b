package metrics

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"

	"weft/internal/base/wording"
)

// answer is what Prometheus's HTTP API answers to query and query_range.
type answer struct {
	Status    string `json:"status"`
	ErrorType string `json:"errorType"`
	Error     string `json:"error"`
	Data      struct {
		ResultType string `json:"resultType"`
		Result     []struct {
			Metric map[string]string `json:"metric"`
			Value  *sample           `json:"value"`
			Values []sample          `json:"values"`
		} `json:"result"`
	} `json:"data"`
	Warnings []string `json:"warnings"`
}

// sample is a value at a time in seconds, which the API writes as [1700000000.5, "3"].
type sample struct{ at, value float64 }

func (s *sample) UnmarshalJSON(text []byte) error {
	var pair [2]any
	if err := json.Unmarshal(text, &pair); err != nil {
		return err
	}
	at, isTime := pair[0].(float64)
	value, isText := pair[1].(string)
	if !isTime || !isText {
		return fmt.Errorf("a sample is %.40s: want [seconds, \"value\"]", text)
	}
	var err error
	s.at = at
	s.value, err = strconv.ParseFloat(value, 64)
	return err
}

// ReadAnswer adds an answer of Prometheus, or several in a row. An answer without a series adds nothing.
func (d *Data) ReadAnswer(name string, in io.Reader) error {
	decoder := json.NewDecoder(in)
	defer d.sorted()
	for n := 0; ; n++ {
		var a answer
		switch err := decoder.Decode(&a); {
		case errors.Is(err, io.EOF) && n > 0:
			return nil
		case err != nil:
			return fmt.Errorf("%s: no whole answer of Prometheus's HTTP API: %w", name, err)
		case a.Status == "error":
			return fmt.Errorf("%s: Prometheus answers %s: %s", name, a.ErrorType, a.Error)
		case a.Status != "success" || a.Data.ResultType != "matrix" && a.Data.ResultType != "vector":
			return fmt.Errorf("%s: status %q with a result of type %q: want the answer to query_range, a matrix", name, wording.Abridged(a.Status, 40), wording.Abridged(a.Data.ResultType, 40))
		}
		for _, r := range a.Data.Result {
			metric := r.Metric["__name__"]
			labels := maps.Clone(r.Metric)
			delete(labels, "__name__")
			if r.Value != nil {
				r.Values = append(r.Values, *r.Value)
			}
			for _, v := range r.Values {
				if err := d.add(metric, labels, v.at, v.value); err != nil {
					return fmt.Errorf("%s: %s: %w", name, metric, err)
				}
			}
		}
		for _, w := range a.Warnings {
			d.Notes = append(d.Notes, "Prometheus warns: "+w)
		}
	}
}

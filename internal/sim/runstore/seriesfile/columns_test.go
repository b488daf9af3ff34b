package seriesfile

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"weft/results"
)

// Select finds the rows that a reading of all rows finds, over several row groups, of which it skips some.
func TestSelectedRowsAreThoseOfTheWholeFile(t *testing.T) {
	dir := written(t, 3*leastGroup)
	all, err := Read[results.SeriesSample](dir, LinkSamples)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		where map[string][]string
		keep  func(*results.SeriesSample) bool
	}{
		{nil, func(*results.SeriesSample) bool { return true }},
		{map[string][]string{"simulation": {"2"}}, func(s *results.SeriesSample) bool { return s.Simulation == 2 }},
		{map[string][]string{"simulation": {"0"}, "link": {"1"}}, func(s *results.SeriesSample) bool { return s.Simulation == 0 && s.Link == 1 }},
		{map[string][]string{"bytes": {"1000", "1007"}}, func(s *results.SeriesSample) bool { return s.Bytes == 1000 || s.Bytes == 1007 }},
		{map[string][]string{"simulation": {"9"}}, func(*results.SeriesSample) bool { return false }},
		{map[string][]string{"simulation": {"two"}}, func(*results.SeriesSample) bool { return false }},
	} {
		want := []int64{}
		for i := range all {
			if c.keep(&all[i]) {
				want = append(want, all[i].Bytes)
			}
		}
		got, err := Select(dir, LinkSamples, Query{Columns: []string{"time_ps", "bytes"}, Where: c.where})
		if err != nil || got.Rows != len(want) || got.Matched != len(want) || !reflect.DeepEqual(got.Column("bytes"), any(want)) {
			t.Errorf("%v: %v, %d of %d rows; want %d", c.where, err, got.Rows, got.Matched, len(want))
		}
		few, err := Select(dir, LinkSamples, Query{Columns: []string{"bytes"}, Where: c.where, Limit: 5})
		if err != nil || few.Rows != min(5, len(want)) || few.Matched != len(want) || !reflect.DeepEqual(few.Column("bytes"), any(want[:min(5, len(want))])) {
			t.Errorf("%v: %v, with a limit of 5 %d of %d rows", c.where, err, few.Rows, few.Matched)
		}
	}
}

func TestKeptRowsStayInEveryColumn(t *testing.T) {
	c, err := Select(written(t, 10), Pauses, Query{})
	if err != nil || c.Rows != 2 {
		t.Fatalf("%v, %d rows", err, c.Rows)
	}
	c.Keep([]int{1})
	for i, v := range c.Values {
		if n := reflect.ValueOf(v).Len(); n != 1 {
			t.Errorf("%s has %d values: want 1", c.Names[i], n)
		}
	}
	if !reflect.DeepEqual(c.Column("simulation"), any([]int64{2})) || !reflect.DeepEqual(c.Column("circle"), any([]bool{true})) || c.Column("nothing") != nil {
		t.Errorf("simulation %v, circle %v", c.Column("simulation"), c.Column("circle"))
	}
}

func TestSelectRefusesNamesThatDoNotExist(t *testing.T) {
	dir := written(t, 10)
	for what, err := range map[string]error{
		"file":   second(Select(dir, "../meta.json", Query{})),
		"column": second(Select(dir, Flows, Query{Columns: []string{"x"}})),
		"where":  second(Select(dir, Flows, Query{Where: map[string][]string{"x": {"1"}}})),
	} {
		if !errors.Is(err, ErrQuery) || !strings.Contains(err.Error(), "there is no such") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

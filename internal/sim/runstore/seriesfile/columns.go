package seriesfile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Names are the files of a folder of series, in the order of docs/SERIES.md.
var Names = []string{Simulations, Nodes, Links, LinkSamples, Flows, FlowHops, Pauses, Steps}

// Columns are chosen columns of chosen rows of a file.
type Columns struct {
	Rows    int      `json:"rows"`    // returned
	Matched int      `json:"matched"` // rows of the file that match, of which at most a limit is returned
	Names   []string `json:"names"`
	Values  []any    `json:"values"` // by column: []int64, []float32, []string or []bool
}

// Column is the values of a column; nil if it is not among the columns.
func (c *Columns) Column(name string) any {
	i := slices.Index(c.Names, name)
	if i < 0 {
		return nil
	}
	return c.Values[i]
}

// Keep keeps the rows with given numbers. Matched stays.
func (c *Columns) Keep(rows []int) {
	for i, values := range c.Values {
		switch l := values.(type) {
		case []int64:
			c.Values[i] = kept(l, rows)
		case []float32:
			c.Values[i] = kept(l, rows)
		case []bool:
			c.Values[i] = kept(l, rows)
		case []string:
			c.Values[i] = kept(l, rows)
		}
	}
	c.Rows = len(rows)
}

func kept[T any](list []T, rows []int) []T {
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = list[row]
	}
	return out
}

// Query chooses rows and columns of a file.
type Query struct {
	Columns []string            // nil: all
	Where   map[string][]string // by column: the accepted values, as text
	Limit   int                 // of rows; 0: none
}

// ErrQuery is the error for a column or file that does not exist.
var ErrQuery = errors.New("there is no such")

// Select reads columns of a file in a folder of series. Row groups without a match are not read.
func Select(dir, name string, q Query) (*Columns, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("%w file of series: %.80q; there are %s", ErrQuery, name, strings.Join(Names, ", "))
	}
	in, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	f, err := opened(in)
	if err != nil {
		return nil, err
	}
	s := selection{limit: q.Limit}
	if q.Columns == nil {
		for _, c := range f.Schema().Columns() {
			q.Columns = append(q.Columns, c[0])
		}
	}
	for _, c := range q.Columns {
		at, values, err := s.column(f, c)
		if err != nil {
			return nil, err
		}
		s.out.Names, s.out.Values, s.at = append(s.out.Names, c), append(s.out.Values, values), append(s.at, at)
	}
	for c, accepted := range q.Where {
		at, _, err := s.column(f, c)
		if err != nil {
			return nil, err
		}
		s.where = append(s.where, condition{at, accepted})
	}
	for _, g := range f.RowGroups() {
		if err := s.group(g); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if s.out.Rows = s.out.Matched; q.Limit > 0 {
		s.out.Rows = min(s.out.Rows, q.Limit)
	}
	return &s.out, nil
}

// selection is the state of a query.
type selection struct {
	out   Columns
	at    []int // by column of out: its index in the file
	where []condition
	limit int
}

// condition is a column with the values that match.
type condition struct {
	at       int
	accepted []string
}

// column is the index of a column, and an empty list of its type.
func (s *selection) column(f *parquet.File, name string) (int, any, error) {
	leaf, ok := f.Schema().Lookup(name)
	if !ok {
		return 0, nil, fmt.Errorf("%w column: %.80q", ErrQuery, name)
	}
	switch leaf.Node.Type().Kind() {
	case parquet.Boolean:
		return leaf.ColumnIndex, []bool{}, nil
	case parquet.Int32, parquet.Int64:
		return leaf.ColumnIndex, []int64{}, nil
	case parquet.Float:
		return leaf.ColumnIndex, []float32{}, nil
	case parquet.ByteArray:
		return leaf.ColumnIndex, []string{}, nil
	}
	return 0, nil, fmt.Errorf("the column %q is of no type of weft's", name)
}

// group adds the matching rows of a row group.
func (s *selection) group(g parquet.RowGroup) error {
	if g.NumRows() > 2*mostGroup {
		return fmt.Errorf("a row group of %d rows: weft writes %d at most", g.NumRows(), mostGroup)
	}
	keep := make([]bool, g.NumRows())
	for i := range keep {
		keep[i] = true
	}
	chunks := g.ColumnChunks()
	for _, c := range s.where {
		if outside(chunks[c.at], c.accepted) {
			return nil
		}
		found := false
		row := 0
		var last parquet.Value // neighbours are mostly equal
		var matches bool
		err := each(chunks[c.at], func(v parquet.Value) {
			if row == 0 || !parquet.Equal(v, last) {
				last, matches = v.Clone(), slices.Contains(c.accepted, v.String())
			}
			if row < len(keep) {
				keep[row] = keep[row] && matches
				found = found || keep[row]
			}
			row++
		})
		if err != nil || !found {
			return err
		}
	}
	before := s.out.Matched
	for _, k := range keep {
		if k {
			s.out.Matched++
		}
	}
	if s.limit > 0 && before >= s.limit {
		return nil
	}
	for i, at := range s.at {
		row, n := 0, before
		var err error
		s.out.Values[i], err = extended(s.out.Values[i], chunks[at], func() bool {
			ok := row < len(keep) && keep[row] && (s.limit == 0 || n < s.limit)
			if row++; ok {
				n++
			}
			return ok
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// outside reports whether a column chunk of integers has none of the accepted values, by its bounds.
func outside(chunk parquet.ColumnChunk, accepted []string) bool {
	bounded, ok := chunk.(*parquet.FileColumnChunk)
	if !ok || chunk.Type().Kind() == parquet.ByteArray {
		return false
	}
	least, most, known := bounded.Bounds()
	return known && !slices.ContainsFunc(accepted, func(text string) bool {
		v, err := strconv.ParseFloat(text, 64)
		return err != nil || v >= number(least) && v <= number(most)
	})
}

func number(v parquet.Value) float64 {
	x, err := strconv.ParseFloat(v.String(), 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// extended is a list with the values of a column chunk at the rows that are kept.
func extended(list any, chunk parquet.ColumnChunk, kept func() bool) (any, error) {
	var err error
	switch l := list.(type) {
	case []int64:
		err = each(chunk, func(v parquet.Value) {
			switch {
			case !kept():
			case v.Kind() == parquet.Int32:
				l = append(l, int64(v.Int32()))
			default:
				l = append(l, v.Int64())
			}
		})
		return l, err
	case []float32:
		err = each(chunk, func(v parquet.Value) {
			if kept() {
				l = append(l, v.Float())
			}
		})
		return l, err
	case []bool:
		err = each(chunk, func(v parquet.Value) {
			if kept() {
				l = append(l, v.Boolean())
			}
		})
		return l, err
	case []string:
		err = each(chunk, func(v parquet.Value) {
			if kept() {
				l = append(l, string(v.ByteArray()))
			}
		})
		return l, err
	}
	return nil, fmt.Errorf("a list of %T", list)
}

// each calls a function with all values of a column chunk.
func each(chunk parquet.ColumnChunk, call func(parquet.Value)) error {
	pages := chunk.Pages()
	defer pages.Close()
	values := make([]parquet.Value, 1024)
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		r := page.Values()
		for {
			n, err := r.ReadValues(values)
			for _, v := range values[:n] {
				call(v)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
		}
		parquet.Release(page)
	}
}

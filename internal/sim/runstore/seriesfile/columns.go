package seriesfile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"weft/results"
)

// Names are the files of a folder of series, in the order of docs/UI.md.
var Names = []string{Simulations, Nodes, Links, LinkSamples, LinkDetails, Flows, FlowHops, Pauses, Steps}

// schemas are the columns of the files.
var schemas = map[string]*parquet.Schema{
	Simulations: parquet.SchemaOf(results.SeriesSimulation{}), Nodes: parquet.SchemaOf(results.SeriesNode{}),
	Links: parquet.SchemaOf(results.SeriesLink{}), LinkSamples: parquet.SchemaOf(results.SeriesSample{}), LinkDetails: parquet.SchemaOf(results.SeriesSample{}),
	Flows: parquet.SchemaOf(results.SeriesFlow{}), FlowHops: parquet.SchemaOf(results.SeriesHop{}),
	Pauses: parquet.SchemaOf(results.SeriesPause{}), Steps: parquet.SchemaOf(results.SeriesStep{}),
}

// mostBytes bounds the values that a query returns: 16,384 hosts with all their links in 16 intervals have half of it.
const mostBytes = 1 << 28

// Columns are chosen columns of chosen rows of a file.
type Columns struct {
	Rows    int      `json:"rows"`    // returned
	Matched int      `json:"matched"` // rows of the file that match, of which at most a limit is returned
	Names   []string `json:"names"`
	Values  []any    `json:"values"` // by column: []int64, []float32, []string or []bool

	kinds []kind
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
		c.Values[i] = c.kinds[i].kept(values, rows)
	}
	c.Rows = len(rows)
}

// kind lists the values of a type of columns.
type kind struct {
	none     any // the empty list
	extended func(list any, chunk parquet.ColumnChunk, keep func() bool, room *int) (any, error)
	kept     func(list any, rows []int) any
}

var kinds = map[parquet.Kind]kind{
	parquet.Boolean:   kindOf(func(v parquet.Value) (bool, error) { return v.Boolean(), nil }),
	parquet.Int32:     kindOf(func(v parquet.Value) (int64, error) { return int64(v.Int32()), nil }),
	parquet.Int64:     kindOf(func(v parquet.Value) (int64, error) { return v.Int64(), nil }),
	parquet.ByteArray: kindOf(func(v parquet.Value) (string, error) { return string(v.ByteArray()), nil }),
	parquet.Float: kindOf(func(v parquet.Value) (float32, error) {
		x := v.Float()
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return 0, errors.New("a value is no number")
		}
		return x, nil
	}),
}

func kindOf[T any](of func(parquet.Value) (T, error)) kind {
	return kind{
		none: []T{},
		extended: func(list any, chunk parquet.ColumnChunk, keep func() bool, room *int) (any, error) {
			l, _ := list.([]T)
			err := each(chunk, func(v parquet.Value) error {
				if !keep() {
					return nil
				}
				x, err := of(v)
				*room -= 8
				if text, ok := any(x).(string); ok {
					*room -= 8 + len(text)
				}
				if *room < 0 {
					return fmt.Errorf("more than %d bytes are asked for at once", mostBytes)
				}
				l = append(l, x)
				return err
			})
			return l, err
		},
		kept: func(list any, rows []int) any {
			l, _ := list.([]T)
			out := make([]T, len(rows))
			for i, row := range rows {
				out[i] = l[row]
			}
			return out
		},
	}
}

// Query chooses rows and columns of a file.
type Query struct {
	Columns []string            // nil: all
	Where   map[string][]string // by column: the accepted values, as text
	Limit   int                 // of rows; 0: none
}

// ErrQuery is the error for a column or file that does not exist.
var ErrQuery = errors.New("there is no such")

// Select reads columns of a file in a folder of series. Row groups without a match are not read. It refuses a file
// that is incomplete or damaged, that another program has written, or that is of a newer version.
func Select(dir, name string, q Query) (*Columns, error) {
	schema := schemas[name]
	if schema == nil {
		return nil, fmt.Errorf("%w file of series: %.80q; there are %s", ErrQuery, name, strings.Join(Names, ", "))
	}
	s := selection{limit: q.Limit, room: mostBytes}
	if q.Columns == nil {
		for _, c := range schema.Columns() {
			q.Columns = append(q.Columns, c[0])
		}
	}
	for _, c := range q.Columns {
		kind, err := s.kind(schema, c)
		if err != nil {
			return nil, err
		}
		s.out.Names, s.out.Values, s.out.kinds = append(s.out.Names, c), append(s.out.Values, kind.none), append(s.out.kinds, kind)
	}
	for c, accepted := range q.Where {
		if _, err := s.kind(schema, c); err != nil {
			return nil, err
		}
		s.where = append(s.where, condition{c, accepted})
	}
	err := open(filepath.Join(dir, name), schema, func(r *reading) error {
		for i := range r.RowGroups() {
			if err := s.group(r, i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if s.out.Rows = s.out.Matched; q.Limit > 0 {
		s.out.Rows = min(s.out.Rows, q.Limit)
	}
	return &s.out, nil
}

// selection is the state of a query.
type selection struct {
	out   Columns
	where []condition
	limit int
	room  int // bytes that are left
}

// condition is a column with the values that match.
type condition struct {
	column   string
	accepted []string
}

func (s *selection) kind(schema *parquet.Schema, column string) (kind, error) {
	leaf, ok := schema.Lookup(column)
	if !ok {
		return kind{}, fmt.Errorf("%w column: %.80q", ErrQuery, column)
	}
	return kinds[leaf.Node.Type().Kind()], nil
}

// group adds the matching rows of a row group.
func (s *selection) group(r *reading, group int) error {
	keep := make([]bool, r.RowGroups()[group].NumRows())
	for i := range keep {
		keep[i] = true
	}
	for _, c := range s.where {
		if r.outside(group, c) {
			return nil
		}
		chunk, err := r.column(group, c.column)
		if err != nil {
			return err
		}
		found, row := false, 0
		var last parquet.Value // neighbours are mostly equal
		var matches bool
		err = each(chunk, func(v parquet.Value) error {
			if row == 0 || !parquet.Equal(v, last) {
				last, matches = v.Clone(), slices.Contains(c.accepted, v.String())
			}
			keep[row] = keep[row] && matches
			found = found || keep[row]
			row++
			return nil
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
	for i, name := range s.out.Names {
		chunk, err := r.column(group, name)
		if err != nil {
			return err
		}
		row, n := -1, before
		s.out.Values[i], err = s.out.kinds[i].extended(s.out.Values[i], chunk, func() bool {
			row++
			if !keep[row] || s.limit > 0 && n == s.limit {
				return false
			}
			n++
			return true
		}, &s.room)
		if err != nil {
			return fmt.Errorf("the column %s: %w", name, err)
		}
	}
	return nil
}

// outside reports whether a row group has none of the accepted integers of a column, by its bounds.
func (r *reading) outside(group int, c condition) bool {
	chunk, ok := r.chunk(group, c.column).(*parquet.FileColumnChunk)
	if !ok || chunk.Type().Kind() == parquet.ByteArray {
		return false
	}
	least, most, known := chunk.Bounds()
	return known && !slices.ContainsFunc(c.accepted, func(text string) bool {
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

// each calls a function with all values of a column chunk.
func each(chunk parquet.ColumnChunk, call func(parquet.Value) error) error {
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
				if err := call(v); err != nil {
					return err
				}
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

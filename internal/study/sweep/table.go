package sweep

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"weft/internal/base/regular"
	"weft/internal/study/ledger"
	"weft/internal/study/quantity"
)

// Column is a column of the table.
type Column struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
	Path string `json:"path,omitempty"` // of an axis: the field that varies

	Measure quantity.Measure `json:"-"` // what it is for people

	kind  reflect.Type // string, int64 or float64
	value func(*Line) any
	null  bool // some lines have no value
}

// Line is a variant with its row.
type Line struct {
	Number int
	Variant
	Row

	main, tail int // places of the compared quantities in the row's values, set by Analyse
}

// Table is the rows of a sweep, in the order of variants.
type Table struct {
	*Folder
	Columns []Column
	Counts  map[Status]int

	rows *ledger.Ledger
}

// Load reads the rows that a folder has.
func (f *Folder) Load() (*Table, error) {
	l, err := ledger.View(f.Dir)
	if err != nil {
		return nil, err
	}
	t := &Table{Folder: f, rows: l, Columns: f.Space.columns(), Counts: map[Status]int{}}
	t.Columns = append(t.Columns, Column{Name: "error", kind: textual, value: func(l *Line) any { return l.Error }})
	for line, err := range t.Lines() {
		if err != nil {
			return nil, err
		}
		t.Counts[line.Status]++
	}
	return t, nil
}

// Lines are all variants with their rows; one without a row is missing.
func (t *Table) Lines() iter.Seq2[*Line, error] {
	return func(yield func(*Line, error) bool) {
		for i := range t.Space.Len() {
			line, err := t.Line(i)
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// Line is a variant with its row.
func (t *Table) Line(i int) (*Line, error) {
	line := &Line{Number: i, Variant: t.Space.Variant(i)}
	ok, err := t.rows.Get(strconv.Itoa(i), &line.Row)
	if !ok {
		line.Row = Row{Status: Missing}
	}
	if line.Row.Fabric == "" {
		line.Row.Fabric = line.Variant.Fabric
	}
	if line.Bytes == 0 {
		line.Bytes = int64(line.Size)
	}
	return line, err
}

// Missing are the variants without a row.
func (t *Table) Missing() (out []int, err error) {
	for line, err := range t.Lines() {
		if err != nil {
			return nil, err
		}
		if line.Status == Missing {
			out = append(out, line.Number)
		}
	}
	return out, nil
}

var (
	textual = reflect.TypeFor[string]()
	whole   = reflect.TypeFor[int64]()
	decimal = reflect.TypeFor[float64]()
)

// columns are the columns of the table: number, axes, fabric, size and seed, status, quantities.
func (s *Space) columns() []Column {
	out := []Column{{Name: "variant", Measure: quantity.Measure{Heading: "variant"}, kind: whole, value: func(l *Line) any { return int64(l.Number) }}}
	for k := range s.Axes {
		out = append(out, s.axisColumn(k))
	}
	out = append(out, Column{Name: "fabric", Measure: quantity.Measure{Heading: "fabric"}, kind: textual, value: func(l *Line) any { return l.Row.Fabric }})
	if s.Kind == &workloads {
		out = append(out, Column{Name: "size_bytes", Unit: "bytes", Measure: quantity.Measure{Heading: "size", Unit: quantity.Bytes}, kind: whole, value: func(l *Line) any { return l.Bytes }})
	}
	if !s.varies("run.seed") {
		out = append(out, Column{Name: "seed", Measure: quantity.Measure{Heading: "seed"}, kind: whole, value: func(l *Line) any { return int64(l.Seed) }})
	}
	out = append(out, Column{Name: "status", Measure: quantity.Measure{Heading: "status"}, kind: textual, value: func(l *Line) any { return string(l.Status) }})
	for i := range s.Kind.measures {
		if keep := s.Base.Sweep.Keep; len(keep) == 0 || slices.Contains(keep, s.Kind.measures[i].Name) {
			out = append(out, quantityColumn(i, &s.Kind.measures[i]))
		}
	}
	return out
}

// quantityColumn is the column of a quantity, by its place in a row's values.
func quantityColumn(i int, m *quantity.Measure) Column {
	c := Column{Name: string(m.Name), Unit: m.Unit.InName(), Measure: *m, kind: decimal, null: true}
	if m.Unit.Whole() {
		c.kind = whole
	}
	c.value = func(l *Line) any {
		switch {
		case l.Status != OK || i >= len(l.Row.Values):
			return nil
		case c.kind == whole:
			return int64(l.Row.Values[i])
		}
		return l.Row.Values[i]
	}
	return c
}

// axisColumn is the column of an axis: numbers in their unit, or words.
func (s *Space) axisColumn(k int) Column {
	a := &s.Axes[k]
	c := Column{Name: a.Name, Path: a.Path, Unit: a.Unit(), Measure: quantity.Measure{Heading: a.Name, Unit: quantity.Unit(a.Unit())}, kind: textual, value: func(l *Line) any { return l.Variant.Values[k] }}
	if _, number := a.Number(s.at(0).Values[k]); !number {
		return c
	}
	if c.Unit != "" {
		c.Name += "_" + c.Unit
	}
	c.kind, c.value = whole, func(l *Line) any {
		x, _ := a.Number(l.Variant.Values[k])
		return int64(x)
	}
	if a.Ratio() {
		c.kind, c.value = decimal, func(l *Line) any {
			x, _ := a.Number(l.Variant.Values[k])
			return x
		}
	}
	return c
}

// Texts are the values of a line as text, empty where there is none.
func (t *Table) Texts(l *Line) []string {
	out := make([]string, len(t.Columns))
	for i := range t.Columns {
		switch x := t.Columns[i].value(l).(type) {
		case string:
			out[i] = x
		case int64:
			out[i] = strconv.FormatInt(x, 10)
		case float64:
			out[i] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return out
}

// Value is a value of a line: a string, an int64, a float64, or nil.
func (c *Column) Value(l *Line) any { return c.value(l) }

// Number is a value of a line as a number; NaN if it is none.
func (c *Column) Number(l *Line) float64 {
	switch x := c.value(l).(type) {
	case int64:
		return float64(x)
	case float64:
		return x
	}
	return math.NaN()
}

// WriteCSV writes the table with its names in the first line.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	names := make([]string, len(t.Columns))
	for i := range t.Columns {
		names[i] = t.Columns[i].Name
	}
	if err := out.Write(names); err != nil {
		return err
	}
	for line, err := range t.Lines() {
		if err != nil {
			return err
		}
		if err := out.Write(t.Texts(line)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// WriteParquet writes the tables into the folder: TableFile, and RunsFile with host and time.
func (t *Table) WriteParquet() error {
	if err := t.write(TableFile, t.Columns); err != nil {
		return err
	}
	number := t.Columns[0]
	return t.write(RunsFile, []Column{
		number,
		{Name: "status", kind: textual, value: func(l *Line) any { return string(l.Status) }},
		{Name: "host", kind: textual, value: func(l *Line) any { return l.Host }},
		{Name: "wall_s", Unit: "s", kind: decimal, value: func(l *Line) any { return l.WallSeconds }},
	})
}

// rowGroup is the rows of a row group: the writer holds one.
const rowGroup = 1 << 13

// write writes columns of all lines into a file of the folder, which gets its name when it is complete.
func (t *Table) write(name string, columns []Column) error {
	about, err := json.Marshal(columns)
	if err != nil {
		return err
	}
	err = regular.Replace(filepath.Join(t.Dir, name), part, func(f *os.File) error {
		w := parquet.NewWriter(
			f, schemaOf(columns), parquet.Compression(&parquet.Zstd), parquet.CreatedBy("weft", t.About.Weft, ""),
			parquet.KeyValueMetadata("weft.sweep_version", strconv.Itoa(aboutVersion)), parquet.KeyValueMetadata("weft.version", t.About.Weft),
			parquet.KeyValueMetadata("weft.scenario", t.Space.Base.Name), parquet.KeyValueMetadata("weft.scenario_sha256", t.About.Scenario),
			parquet.KeyValueMetadata("weft.columns", string(about)),
		)
		for line, err := range t.Lines() {
			if err == nil {
				_, err = w.WriteRows([]parquet.Row{parquetRow(columns, line)})
			}
			if err == nil && (line.Number+1)%rowGroup == 0 {
				err = w.Flush()
			}
			if err != nil {
				return err
			}
		}
		return errors.Join(w.Close(), f.Sync())
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// schemaOf is the schema of columns in their order, which a struct has. Quantities may be absent.
func schemaOf(columns []Column) *parquet.Schema {
	var fields []reflect.StructField
	for i, c := range columns {
		tag := c.Name
		switch {
		case c.null:
			tag += ",optional"
		case c.kind == textual:
			tag += ",dict"
		}
		fields = append(fields, reflect.StructField{Name: "C" + strconv.Itoa(i), Type: c.kind, Tag: reflect.StructTag(`parquet:"` + tag + `"`)})
	}
	return parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
}

func parquetRow(columns []Column, line *Line) parquet.Row {
	row := make(parquet.Row, len(columns))
	for i := range columns {
		present := 0
		if columns[i].null {
			present = 1
		}
		switch x := columns[i].value(line).(type) {
		case nil:
			row[i] = parquet.NullValue().Level(0, 0, i)
		default:
			row[i] = parquet.ValueOf(x).Level(0, present, i)
		}
	}
	return row
}

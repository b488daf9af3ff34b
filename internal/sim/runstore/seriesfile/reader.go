package seriesfile

import (
	"fmt"
	"os"
	"reflect"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"weft/internal/base/regular"
	"weft/results"
)

// Read reads the rows of a file in a folder of series. Its errors are those of [Select].
func Read[T any](dir, name string) ([]T, error) {
	c, err := Select(dir, name, Query{})
	if err != nil {
		return nil, err
	}
	rows := make([]T, c.Rows)
	for i, values := range c.Values { // the columns are the fields of the type, in their order
		column := reflect.ValueOf(values)
		for row := range rows {
			field := reflect.ValueOf(&rows[row]).Elem().Field(i)
			field.Set(column.Index(row).Convert(field.Type()))
		}
	}
	return rows, nil
}

// reading is a file that is read: it is complete, of weft and of a known version, and has the columns of a schema.
type reading struct {
	*parquet.File
	in *os.File
}

// open lets a function read a file. Errors name the file.
func open(name string, schema *parquet.Schema, read func(*reading) error) (err error) {
	in, err := regular.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	defer func() {
		if p := recover(); p != nil { // of the library
			err = fmt.Errorf("the file is damaged: %v", p)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if err := soundFooter(in, info.Size()); err != nil {
		return incomplete(err)
	}
	f, err := parquet.OpenFile(in, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return incomplete(err)
	}
	if err := check(f, schema); err != nil {
		return err
	}
	return read(&reading{f, in})
}

func incomplete(err error) error {
	return fmt.Errorf("it is no complete Parquet file: its run was cut short, or the file was changed: %w", err)
}

// check refuses files of other programs, of newer versions, and with other columns or larger row groups than weft
// writes.
func check(f *parquet.File, schema *parquet.Schema) error {
	text, ok := f.Lookup(keyVersion)
	if !ok {
		return fmt.Errorf("it has no %s in its metadata: weft has not written it", keyVersion)
	}
	version, err := strconv.Atoi(text)
	if err != nil || version < 1 {
		return fmt.Errorf("%s is %.20q, which is no version", keyVersion, text)
	}
	if version > results.SeriesVersion {
		return fmt.Errorf("it is of version %d, and this weft reads versions up to %d: read it with the weft that wrote it, or a newer one", version, results.SeriesVersion)
	}
	for _, c := range schema.Columns() {
		want, _ := schema.Lookup(c[0])
		got, ok := f.Schema().Lookup(c[0])
		switch {
		case !ok && version < results.SeriesVersion:
			return fmt.Errorf("the column %s is missing: the file is of version %d, and this weft reads version %d: simulate the run again", c[0], version, results.SeriesVersion)
		case !ok:
			return fmt.Errorf("the column %s is missing", c[0])
		case got.Node.Type().Kind() != want.Node.Type().Kind():
			return fmt.Errorf("the column %s is of type %v: want %v", c[0], got.Node.Type(), want.Node.Type())
		case got.MaxDefinitionLevel != 0 || got.MaxRepetitionLevel != 0:
			return fmt.Errorf("the column %s may have no value or several: want one in each row", c[0])
		}
	}
	for _, g := range f.RowGroups() {
		if g.NumRows() < 0 || g.NumRows() > 2*mostGroup {
			return fmt.Errorf("a row group of %d rows: weft writes %d at most", g.NumRows(), mostGroup)
		}
	}
	return nil
}

// chunk is a column in a row group.
func (r *reading) chunk(group int, name string) parquet.ColumnChunk {
	leaf, _ := r.Schema().Lookup(name)
	return r.RowGroups()[group].ColumnChunks()[leaf.ColumnIndex]
}

// column is a column in a row group, whose pages are sound.
func (r *reading) column(group int, name string) (parquet.ColumnChunk, error) {
	leaf, _ := r.Schema().Lookup(name)
	g := &r.Metadata().RowGroups[group]
	if err := soundColumn(r.in, &g.Columns[leaf.ColumnIndex].MetaData, g.NumRows); err != nil {
		return nil, fmt.Errorf("the column %s: %w", name, err)
	}
	return r.chunk(group, name), nil
}

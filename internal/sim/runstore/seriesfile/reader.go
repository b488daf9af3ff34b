package seriesfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"weft/internal/sim/runstore"
)

// Read reads the rows of a file of series. It refuses a file that is incomplete, that another program has
// written, or that is of a newer version.
func Read[T any](name string) ([]T, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	f, err := opened(in)
	if err != nil {
		return nil, err
	}
	rows := make([]T, f.NumRows())
	r := parquet.NewGenericReader[T](f)
	defer r.Close()
	for n := 0; n < len(rows); {
		got, err := r.Read(rows[n:])
		if n += got; n < len(rows) && err != nil {
			return nil, fmt.Errorf("%s ends after %d of %d rows: %w", name, n, len(rows), errors.Join(err, io.ErrUnexpectedEOF))
		}
	}
	return rows, nil
}

// opened is a file that is complete, of weft and of a known version.
func opened(in *os.File) (*parquet.File, error) {
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(in, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s is no complete Parquet file: its run was cut short, or the file was changed: %w", in.Name(), err)
	}
	if err := check(f); err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name(), err)
	}
	return f, nil
}

// check refuses files of other programs and of newer versions.
func check(f *parquet.File) error {
	text, ok := f.Lookup(keyVersion)
	if !ok {
		return fmt.Errorf("it has no %s in its metadata: weft has not written it", keyVersion)
	}
	version, err := strconv.Atoi(text)
	if err != nil || version < 1 {
		return fmt.Errorf("%s is %.20q, which is no version", keyVersion, text)
	}
	if version > runstore.SeriesVersion {
		return fmt.Errorf("it is of version %d, and this weft reads versions up to %d: read it with the weft that wrote it, or a newer one", version, runstore.SeriesVersion)
	}
	return nil
}

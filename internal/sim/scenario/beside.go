package scenario

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// maxBeside bounds a file that a scenario names: a partitions.conf of the largest subnet, with a
// line per port, has 4 MB.
const maxBeside = 16 << 20

var (
	errTooLong = errors.New("the file is too long")
	errNoFile  = errors.New("it is no file")
)

// readBounded reads a file, at most the given number of bytes.
func readBounded(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return bounded(f, most)
}

// bounded reads at most the given number of bytes.
func bounded(in io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(text)) > most {
		err = errTooLong
	}
	return text, err
}

// readNamed reads a file that a field names, relative to the scenario's folder; it reports errors
// at the field.
func (r *resolver) readNamed(path, name string) ([]byte, bool) {
	at := name
	if !filepath.IsAbs(at) {
		at = filepath.Join(r.dir, at)
	}
	info, err := os.Stat(at)
	if err == nil && !info.Mode().IsRegular() {
		err = errNoFile
	}
	var text []byte
	if err == nil {
		text, err = readBounded(at, maxBeside)
	}
	if err != nil {
		r.complain(path, "%s cannot be read: %v", name, withoutPath(err))
		return nil, false
	}
	return text, true
}

package scenario

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"weft/internal/base/regular"
)

// maxNamedFile bounds a file that a scenario names: a partitions.conf of the largest subnet, with a
// line per port, has 4 MB.
const maxNamedFile = 16 << 20

var errTooLong = errors.New("the file is too long")

// bounded reads at most the given number of bytes.
func bounded(in io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(text)) > most {
		err = errTooLong
	}
	return text, err
}

// open opens a file that the scenario names, relative to its folder. The error is without the
// name of the file.
func (r *rules) open(name string) (*os.File, error) {
	if r.named != nil {
		*r.named = append(*r.named, name)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.dir, name)
	}
	f, err := regular.Open(name)
	return f, regular.Reason(err)
}

// readNamed reads a file that a field of the fabric names; it reports errors at the field.
func (r *fabricRules) readNamed(field, name string) ([]byte, bool) {
	var text []byte
	f, err := r.open(name)
	if err == nil {
		defer func() { _ = f.Close() }()
		text, err = bounded(f, maxNamedFile)
	}
	if err != nil {
		r.complain(field, "%s cannot be read: %v", name, regular.Reason(err))
		return nil, false
	}
	return text, true
}

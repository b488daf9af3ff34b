package scenario

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxBeside bounds a file that a scenario names: a partitions.conf of the
// largest subnet, with a line per port, has 4 MB.
const maxBeside = 16 << 20

var errTooLong = errors.New("the file is too long")

// readBounded reads a file of at most so many bytes.
func readBounded(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = errTooLong
	}
	return text, err
}

// beside reads files by names that start from the folder of a scenario; "" is
// the process's own.
func beside(scenario string) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(scenario), name)
		}
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			return nil, errors.New("it is no file") // a pipe would be waited for
		}
		return readBounded(name, maxBeside)
	}
}

// readNamed reads a file that a field names; what is wrong is complained about.
func (r *resolver) readNamed(path, name string) ([]byte, bool) {
	text, err := r.open(name)
	if err == nil {
		return text, true
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	r.complain(path, "%s cannot be read: %v", name, err)
	return nil, false
}

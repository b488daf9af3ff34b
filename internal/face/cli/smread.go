package cli

import (
	"errors"
	"io"
	"os"

	"weft/internal/ib/format"
	"weft/internal/ib/subnet"
)

// reason is the system's error about a file, without its path.
func reason(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// reading opens a file for a reader, and prints the reader's remarks on standard error.
func (e *Env) reading(path string, read func(io.Reader) (*format.Report, error)) error {
	f, err := openFabric(e, path)
	if err != nil {
		return err
	}
	defer f.Close()
	report, err := read(f)
	if err != nil {
		return err
	}
	remark(e, report)
	return nil
}

// loadSubnet reads a fabric in any known format.
func (e *Env) loadSubnet(path string) (*subnet.Subnet, error) {
	f, err := readFabric(e, path, format.Options{})
	return f.subnet, err
}

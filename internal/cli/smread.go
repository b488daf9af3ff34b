package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"weft/internal/subnet"
	"weft/internal/subnet/format"
)

// reason is what the system says of a file, without its path.
func reason(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// reading opens a file for a reader, and tells on standard error what the
// reader noted.
func (e *Env) reading(path string, read func(io.Reader) (*format.Report, error)) error {
	f, err := os.Open(e.path(path))
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, reason(err))
	}
	defer f.Close()
	report, err := read(f)
	if err != nil {
		return err
	}
	for _, n := range report.Notes {
		fmt.Fprintf(e.Stderr, "weft: note: %v\n", n)
	}
	if report.MoreNotes > 0 {
		fmt.Fprintf(e.Stderr, "weft: note: %s: and %d more\n", path, report.MoreNotes)
	}
	for _, s := range report.Skipped {
		fmt.Fprintf(e.Stderr, "weft: note: %s:%d: %d lines that begin with %q say nothing that is used\n", s.File, s.Line, s.Count, s.What)
	}
	return nil
}

// loadSubnet reads a fabric in any of the formats that describe one.
func (e *Env) loadSubnet(path string) (*subnet.Subnet, error) {
	var s *subnet.Subnet
	err := e.reading(path, func(r io.Reader) (*format.Report, error) {
		open := func(name string) (io.ReadCloser, error) {
			return os.Open(e.path(filepath.Join(filepath.Dir(path), name)))
		}
		got, _, report, err := format.ReadSubnet(path, r, format.Options{Open: open})
		s = got
		return report, err
	})
	return s, err
}

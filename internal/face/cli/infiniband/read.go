package infiniband

import (
	"io"

	"weft/internal/face/cli/process"
	"weft/internal/ib/format"
	"weft/internal/ib/subnet"
)

// reading opens a file for a reader, and prints the reader's remarks on standard error.
func reading(e *process.Env, path string, read func(io.Reader) (*format.Report, error)) error {
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

// readSubnet reads a fabric in any known format.
func readSubnet(e *process.Env, path string) (*subnet.Subnet, error) {
	f, err := readFabric(e, path, format.Options{})
	return f.subnet, err
}

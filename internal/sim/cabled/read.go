package cabled

import (
	"fmt"
	"io"
	"path/filepath"

	"weft/internal/base/cabling"
	"weft/internal/base/packed"
	"weft/internal/ib/format"
	"weft/internal/ib/inspect"
	"weft/internal/ib/subnet"
)

// Source is a fabric from a file.
type Source struct {
	Name   string
	Format string // the format's name, in the words of its users
	*cabling.Fabric
	// Subnet is the fabric as an InfiniBand subnet, node by node of Devices. GUIDs and LIDs are the file's on
	// InfiniBand, and absent on Ethernet.
	Subnet *subnet.Subnet
	// InfiniBand says that the file is of an InfiniBand subnet.
	InfiniBand bool
}

// Read reads a fabric from a file in any known form, compressed or not. open opens a file by its name, also those that
// the file includes.
func Read(name string, open func(name string) (io.ReadCloser, error)) (*Source, error) {
	file, err := open(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	in, err := packed.Undo(name, file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	beside := func(included string) (io.ReadCloser, error) {
		if !filepath.IsAbs(included) {
			included = filepath.Join(filepath.Dir(name), included)
		}
		return open(included)
	}
	s, kind, report, err := format.ReadSubnet(name, in, format.Options{Open: beside, Contradictions: true})
	if err != nil {
		return nil, err
	}
	f := inspect.Cabling(s)
	f.Format = string(kind)
	for _, p := range report.Contradictions {
		f.Note("%v: the cable is left out", p)
	}
	return &Source{Name: name, Format: f.Format, Fabric: f, Subnet: s, InfiniBand: true}, nil
}

package cabled

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/cabling/planfile"
	"weft/internal/base/packed"
	"weft/internal/ib/format"
	"weft/internal/ib/inspect"
	"weft/internal/ib/subnet"
)

// Source is a fabric from a file or a folder.
type Source struct {
	Name   string
	Format string // the format's name, in the words of its users
	*cabling.Fabric
	// Subnet is the fabric as an InfiniBand subnet, node by node of Devices; nil if it cannot be one, and then Place
	// says why. GUIDs and LIDs are the file's on InfiniBand, and absent on Ethernet.
	Subnet  *subnet.Subnet
	lacking error // why there is no Subnet
	// InfiniBand says that the file is of an InfiniBand subnet: its ports are numbers.
	InfiniBand bool

	hostNames map[string]bool // see HasHost
}

// Lacking is why there is no Subnet.
func (s *Source) Lacking() error { return s.lacking }

// Files are the files that Read may read.
type Files struct {
	// Open opens a file by its name, also those that a file includes.
	Open func(name string) (io.ReadCloser, error)
	// Folder is a folder by its name; nil if the name is of a file.
	Folder func(name string) fs.FS
}

// maxFile bounds a file after its decompression, in bytes: an ibnetdiscover of the largest fabrics has some 20 MiB.
const maxFile = 256 << 20

// Read reads a fabric from a file in any known form, compressed or not, or from a folder with files of each switch.
func Read(name string, files Files) (*Source, error) {
	if folder := files.Folder(name); folder != nil {
		f, err := planfile.ReadFolder(packed.Folder(folder), filepath.ToSlash(name))
		if err != nil {
			return nil, err
		}
		return ofCabling(name, f), nil
	}
	text, err := files.whole(name)
	if err != nil {
		return nil, err
	}
	if format.Detect(text[:min(len(text), maxHead)]) != format.Unknown {
		return ofInfiniBand(name, text, files)
	}
	f, err := planfile.Read(name, func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil })
	if err != nil {
		return nil, noInfiniBand{err}
	}
	return ofCabling(name, f), nil
}

// ErrNoInfiniBand is in the error about a file whose beginning is of no form of InfiniBand's.
var ErrNoInfiniBand = errors.New("no form of InfiniBand's")

// noInfiniBand is the error of the reader of plans, which says what else is read.
type noInfiniBand struct{ error }

func (e noInfiniBand) Error() string {
	text := e.error.Error()
	if strings.Contains(text, planfile.Known) {
		text += ", or of InfiniBand the output of ibnetdiscover or iblinkinfo, opensm-subnet.lst, or a net of ibsim"
	}
	return text
}

func (e noInfiniBand) Unwrap() error      { return e.error }
func (noInfiniBand) Is(target error) bool { return target == ErrNoInfiniBand }

// maxHead is the part of a file that shows its format: a terminal's lines may come before it.
const maxHead = 64 << 10

// whole is the content of a file, decompressed.
func (files Files) whole(name string) ([]byte, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	in, err := packed.Undo(name, file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	case len(text) > maxFile:
		return nil, fmt.Errorf("%s has more than %d MiB: no description of a fabric is that long", name, maxFile>>20)
	}
	return text, nil
}

func ofInfiniBand(name string, text []byte, files Files) (*Source, error) {
	beside := func(included string) (io.ReadCloser, error) {
		if !filepath.IsAbs(included) {
			included = filepath.Join(filepath.Dir(name), included)
		}
		return files.Open(included)
	}
	s, kind, report, err := format.ReadSubnet(name, bytes.NewReader(text), format.Options{Open: beside, Contradictions: true})
	if err != nil {
		return nil, err
	}
	f := inspect.Cabling(s)
	f.Format = string(kind)
	f.Disputed = inspect.CablingEnds(s, report.Disputed)
	for _, p := range report.Contradictions {
		f.Contradictions = append(f.Contradictions, p.String())
		f.Note("%v", p)
	}
	return &Source{Name: name, Format: f.Format, Fabric: f, Subnet: s, InfiniBand: true}, nil
}

package format

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"weft/internal/ib/subnet"
	"weft/units"
)

// TableFile is a file with tables of a subnet. Open gives its text, decompressed; it is called more than once.
type TableFile struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// TableSet is the tables of a subnet from several files. What no file has is nil.
type TableSet struct {
	LFTs      *LFTs
	SL2VL     *SL2VL
	PathSL    subnet.PathSL
	Matrix    *subnet.Hops
	Multicast []map[units.LID]subnet.PortMask // by switch, as Tables.Switch
	// Name is the name of the file, or of the first file, of each kind. PathLevels is the kind of PathSL.
	Name map[Format]string
	// Strangers is the number of LIDs whose ports the subnet does not have.
	Strangers int
}

// PathLevels is the service levels of paths: path records, or the list that ibdmchk reads with -c.
const PathLevels Format = "path-sl"

// DetectTable finds the kind of a file of tables from its first lines, PathLevels among them.
func DetectTable(head []byte) Format {
	if f := Detect(head); f != Unknown {
		return f
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	for line := range strings.Lines(string(head)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}
		if isPathLevel(fields) {
			return PathLevels
		}
		return Unknown
	}
	return Unknown
}

// isPathLevel reports whether the fields are those of a line that ReadPathSL reads.
func isPathLevel(fields []string) bool {
	top := int(units.LastUnicastLID)
	if len(fields) == 3 && strings.HasPrefix(fields[0], "0x") {
		c := cursor{fields[0]}
		_, guid := c.guid()
		_, ok := numbers(fields[1:], top, 15)
		return guid && ok && c.rest == ""
	}
	if len(fields) < 4 || !strings.HasPrefix(fields[2], "0x") {
		return false
	}
	_, ok := numbers(fields, top, top)
	return ok
}

// ReadTableSet reads the tables of a subnet from files of any kind that OpenSM and the tools write, by their content. At
// least one has forwarding tables. The ports of the subnet get the LIDs of these; all other files must have the same LIDs.
func ReadTableSet(files []TableFile, s *subnet.Subnet) (*TableSet, error) {
	set := &TableSet{Name: map[Format]string{}}
	var rest []TableFile
	kinds := map[string]Format{}
	for _, f := range files {
		kind, err := f.kind()
		if err != nil {
			return nil, err
		}
		kinds[f.Name] = kind
		switch kind {
		case LFTDump, FDBs:
			if err := f.reading(func(r io.Reader) error { return set.addLFTs(f.Name, r, s) }); err != nil {
				return nil, err
			}
		case SL2VLDump, PathLevels, LIDMatrix, MCFDBs:
			rest = append(rest, f)
		case Unknown:
			return nil, fmt.Errorf("%s: not a known form of tables: expected %s", f.Name, tableKinds)
		default:
			return nil, fmt.Errorf("%s: holds %s, and no tables: expected %s", f.Name, kind, tableKinds)
		}
	}
	if set.LFTs == nil {
		return nil, fmt.Errorf("no file has forwarding tables: expected opensm-lfts.dump, opensm.fdbs, or the output of dump_fts or ibroute among them")
	}
	set.Strangers = set.LFTs.Assign(s)
	for _, f := range rest {
		kind := kinds[f.Name]
		if first, twice := set.Name[kind]; twice {
			return nil, fmt.Errorf("%s: %s has tables of the same kind: expected one file of it", f.Name, first)
		}
		set.Name[kind] = f.Name
		if err := f.reading(func(r io.Reader) error { return set.add(kind, f.Name, r, s) }); err != nil {
			return nil, err
		}
	}
	return set, nil
}

const tableKinds = "opensm-lfts.dump, opensm.fdbs, the output of dump_fts or ibroute, opensm-sl2vl.dump, the output of smpquery sl2vl, path records, opensm-lid-matrix.dump, or opensm.mcfdbs"

// kind is the kind of a file by its first lines.
func (f TableFile) kind() (kind Format, err error) {
	err = f.reading(func(r io.Reader) error {
		head := make([]byte, maxLine)
		n, err := io.ReadFull(r, head)
		if n == 0 && err != nil {
			return fmt.Errorf("%s is empty, or cannot be read: %w", f.Name, err)
		}
		kind = DetectTable(head[:n])
		return nil
	})
	return kind, err
}

func (f TableFile) reading(do func(io.Reader) error) error {
	in, err := f.Open()
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", f.Name, err)
	}
	defer func() { _ = in.Close() }()
	return do(bufio.NewReaderSize(in, maxLine))
}

func (t *TableSet) addLFTs(name string, r io.Reader, s *subnet.Subnet) error {
	l, kind, _, err := ReadTables(name, r, s)
	if err != nil {
		return err
	}
	if t.LFTs == nil {
		t.LFTs, t.Name[kind] = l, name
		return nil
	}
	return t.LFTs.Join(l, name)
}

// add reads tables of another kind.
func (t *TableSet) add(kind Format, name string, r io.Reader, s *subnet.Subnet) (err error) {
	switch kind {
	case SL2VLDump:
		t.SL2VL, _, err = ReadSL2VL(name, r, s)
	case PathLevels:
		t.PathSL, _, err = ReadPathSL(name, r, s)
	case LIDMatrix:
		t.Matrix, _, err = ReadLIDMatrix(name, r, s)
	case MCFDBs:
		t.Multicast, _, err = ReadMFTs(name, r, s)
	}
	return err
}

// Join adds the tables of another file for the same subnet. Each switch has a table in one file.
func (l *LFTs) Join(more *LFTs, name string) error {
	for i, row := range more.Tables.LFT {
		if !filled(row) {
			continue
		}
		if filled(l.Tables.LFT[i]) {
			return fmt.Errorf("%s: another file has a table for this switch already: expected each switch once", name)
		}
		l.Tables.LFT[i] = row
	}
	for lid, guid := range more.Port {
		for lid >= len(l.Port) {
			l.Port = append(l.Port, 0)
		}
		if guid != 0 && l.Port[lid] != 0 && l.Port[lid] != guid {
			return fmt.Errorf("%s: LID %d belongs to %v here and to %v in another file", name, lid, guid, l.Port[lid])
		}
		if guid != 0 {
			l.Port[lid] = guid
		}
	}
	l.Tables.Top = max(l.Tables.Top, more.Tables.Top)
	l.Undumped = max(l.Undumped, more.Undumped)
	for _, row := range l.Tables.LFT {
		if int(l.Undumped) < len(row) && row[l.Undumped] != subnet.NoPort {
			l.Undumped = 0
		}
	}
	return nil
}

// filled reports whether a table has an entry.
func filled(row []uint8) bool {
	for _, p := range row {
		if p != subnet.NoPort {
			return true
		}
	}
	return false
}

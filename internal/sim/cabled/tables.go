package cabled

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"weft/internal/base/packed"
	"weft/internal/ib/format"
	"weft/internal/ib/subnet"
	"weft/units"
)

// Forwarding is the forwarding tables of a placed fabric.
type Forwarding struct {
	// LIDs is the number of LIDs of an endpoint, at least 1. An endpoint with fewer has them several times.
	LIDs int
	// Port is, by switch in the order of Devices, the port that the switch sends by; 255: none. A row has the first LIDs
	// of all endpoints, then the second ones.
	Port [][]uint8
	// LID is the first LID of each device in the tables, by device; 0: none.
	LID []units.LID
	// Level is the service level of the path from an endpoint to each, in the order of a row; nil if no file has levels.
	Level func(from int) []units.SL
	// Lanes are the SL2VL tables, by switch; nil if no file has them. A map with Ports 0 is of a switch that is not in it.
	Lanes []subnet.SLMap
	// NICLanes are the lanes of levels at endpoints, nil at one that no file has; nil if there are none.
	NICLanes []*[16]units.VL
}

// maxTableFiles bounds the files of a folder of tables: one for each switch of a large fabric.
const maxTableFiles = 1 << 14

// ReadTables reads the tables of a fabric of InfiniBand, as OpenSM or the tools write them, for a placing of it. The names
// are of files, or of a folder with them.
func (s *Source) ReadTables(names []string, p *Placed, files Files) (*Forwarding, error) {
	if !s.InfiniBand {
		return nil, fmt.Errorf("%s: forwarding tables are for InfiniBand, and %s is a %s", names[0], s.Name, s.Format)
	}
	var list []format.TableFile
	for _, name := range names {
		more, err := files.tables(name)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	sub := s.Subnet.Clone()
	set, err := format.ReadTableSet(list, sub)
	if err != nil {
		return nil, err
	}
	if set.Strangers > 0 {
		p.note("%s: %d LIDs belong to ports that %s does not have", list[0].Name, set.Strangers, s.Name)
	}
	if err := s.noteWithoutEffect(p, set, sub); err != nil {
		return nil, err
	}
	f := forwardingOf(p, set, sub)
	if f.LIDs > 1 {
		p.note("NICs have up to %d LIDs: connections use the first of them, with routing.lids: spread all", f.LIDs)
	}
	if f.Lanes != nil && f.Level == nil {
		p.note("%s: no file has the service levels of paths, so that all packets are on ib.sl", set.Name[format.SL2VLDump])
	}
	return f, nil
}

// tables are the files of tables under a name: the file, or those of a folder that are tables. In a folder of OpenSM the
// switches are in opensm-lfts.dump and again in opensm.fdbs: the former is taken.
func (files Files) tables(name string) ([]format.TableFile, error) {
	folder := files.Folder(name)
	if folder == nil {
		return []format.TableFile{{Name: name, Open: func() (io.ReadCloser, error) { return files.unpacked(name) }}}, nil
	}
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	if len(entries) > maxTableFiles {
		return nil, fmt.Errorf("%s has %d files: expected at most %d with tables", name, len(entries), maxTableFiles)
	}
	byKind := map[format.Format][]format.TableFile{}
	for _, x := range entries {
		if !x.Type().IsRegular() {
			continue
		}
		path := path.Join(filepath.ToSlash(name), x.Name())
		f := format.TableFile{Name: path, Open: func() (io.ReadCloser, error) {
			in, err := folder.Open(x.Name())
			if err != nil {
				return nil, err
			}
			return packed.Undo(path, in)
		}}
		kind, err := kindOf(f)
		if err != nil {
			return nil, err
		}
		byKind[kind] = append(byKind[kind], f)
	}
	lfts := byKind[format.LFTDump]
	if i := slices.IndexFunc(lfts, func(f format.TableFile) bool { return path.Base(f.Name) == "opensm-lfts.dump" }); i >= 0 {
		lfts = lfts[i : i+1]
	}
	if len(lfts) == 0 {
		lfts = byKind[format.FDBs]
	}
	if len(lfts) == 0 {
		return nil, fmt.Errorf("%s holds no forwarding tables: expected opensm-lfts.dump, opensm.fdbs, or files that ibroute or dump_fts printed", name)
	}
	list := slices.Clone(lfts)
	for _, kind := range []format.Format{format.SL2VLDump, format.PathLevels, format.LIDMatrix, format.MCFDBs} {
		if found := byKind[kind]; len(found) > 0 {
			list = append(list, found[max(0, slices.IndexFunc(found, func(f format.TableFile) bool { return usualTables[path.Base(f.Name)] }))])
		}
	}
	return list, nil
}

// usualTables are the names that OpenSM and weft give to tables. Of several files of a kind in a folder one of these is
// taken, else the first.
var usualTables = map[string]bool{
	"opensm-sl2vl.dump": true, "path-sl.txt": true, "pathrecords.txt": true, "opensm-lid-matrix.dump": true, "opensm.mcfdbs": true,
}

// kindOf is the kind of a file by its first lines; an empty file has none.
func kindOf(f format.TableFile) (format.Format, error) {
	in, err := f.Open()
	if err != nil {
		return format.Unknown, fmt.Errorf("%s cannot be read: %w", f.Name, err)
	}
	defer func() { _ = in.Close() }()
	head := make([]byte, maxHead)
	n, _ := io.ReadFull(in, head) // a short file is detected by what it has
	return format.DetectTable(head[:n]), nil
}

// unpacked opens a file and undoes its compression.
func (files Files) unpacked(name string) (io.ReadCloser, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	return packed.Undo(name, file)
}

// forwardingOf is the tables of a placed fabric in the order of its devices.
func forwardingOf(p *Placed, set *format.TableSet, sub *subnet.Subnet) *Forwarding {
	f := &Forwarding{LIDs: 1, LID: make([]units.LID, len(p.Devices))}
	endpoints := p.Nodes*p.NICs + p.Others
	for i, e := range p.ends {
		f.LID[i] = sub.Port(e).LID
		if i < endpoints {
			f.LIDs = max(f.LIDs, 1<<sub.Port(e).LMC)
		}
	}
	lids := make([]units.LID, 0, endpoints*f.LIDs) // in the order of a row; 0: none
	for k := range f.LIDs {
		for to := range endpoints {
			lid := f.LID[to]
			if lid > 0 {
				lid += units.LID(k % (1 << sub.Port(p.ends[to]).LMC))
			}
			lids = append(lids, lid)
		}
	}
	t := set.LFTs.Tables
	for _, e := range p.ends[endpoints:] {
		row := make([]uint8, len(lids))
		table := t.LFT[t.Dense[e.Node]]
		for i, lid := range lids {
			row[i] = subnet.NoPort
			if lid > 0 && int(lid) < len(table) {
				row[i] = table[lid]
			}
		}
		f.Port = append(f.Port, row)
		if set.SL2VL != nil {
			f.Lanes = append(f.Lanes, set.SL2VL.Switch[t.Dense[e.Node]])
		}
	}
	if set.PathSL != nil {
		f.Level = func(from int) []units.SL {
			row := make([]units.SL, len(lids))
			for i, lid := range lids {
				row[i] = set.PathSL(f.LID[from], lid)
			}
			return row
		}
	}
	if set.SL2VL != nil && len(set.SL2VL.Adapter) > 0 {
		for _, e := range p.ends[:endpoints] {
			var lanes *[16]units.VL
			if has, ok := set.SL2VL.Adapter[sub.Port(e).GUID]; ok {
				lanes = &has
			}
			f.NICLanes = append(f.NICLanes, lanes)
		}
	}
	return f
}

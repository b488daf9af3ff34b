package infiniband

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"weft/internal/base/regular"
	"weft/internal/face/cli/process"
	"weft/internal/ib/format"
	"weft/internal/ib/subnet"
	"weft/units"
)

// The names of files in a folder of tables: OpenSM's dumps, and lists of path records.
const (
	lftsFile  = "opensm-lfts.dump"
	sl2vlFile = "opensm-sl2vl.dump"
	mcfdbFile = "opensm.mcfdbs"
)

var pathFiles = []string{"path-sl.txt", "pathrecords.txt"}

// tableFiles are the files with tables.
type tableFiles struct {
	lfts   []string // one, or one per switch
	sl2vl  string   // "": lanes equal service levels
	pathSL string   // "": not known
	matrix string   // LID matrix; "": none
	groups string   // multicast tables; "": none
}

// findTables lists the files of tables at a path: a file, or a folder with
// OpenSM's dumps, or with the output of ibroute for each switch.
func findTables(e *process.Env, at string) (tableFiles, error) {
	info, err := os.Stat(e.Path(at))
	if err != nil {
		return tableFiles{}, fmt.Errorf("%s cannot be read: %w", at, regular.Reason(err))
	}
	if !info.IsDir() {
		return tableFiles{lfts: []string{at}}, nil
	}
	exists := func(name string) (string, bool) {
		path := filepath.Join(at, name)
		_, err := os.Stat(e.Path(path))
		return path, err == nil
	}
	var f tableFiles
	if path, ok := exists(sl2vlFile); ok {
		f.sl2vl = path
	}
	for _, name := range pathFiles {
		if path, ok := exists(name); ok && f.pathSL == "" {
			f.pathSL = path
		}
	}
	if path, ok := exists(lidMatrixFile); ok {
		f.matrix = path
	}
	if path, ok := exists(mcfdbFile); ok {
		f.groups = path
	}
	if path, ok := exists(lftsFile); ok {
		f.lfts = []string{path}
		return f, nil
	}
	if f.lfts, err = ibroutes(e, at); err == nil && len(f.lfts) == 0 {
		err = fmt.Errorf("%s holds no forwarding tables: expected %s, or files that ibroute or dump_fts printed", at, lftsFile)
	}
	return f, err
}

// ibroutes lists the files of a folder that hold forwarding tables, by name.
func ibroutes(e *process.Env, at string) ([]string, error) {
	entries, err := os.ReadDir(e.Path(at))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", at, regular.Reason(err))
	}
	var found []string
	for _, x := range entries {
		path := filepath.Join(at, x.Name())
		if info, err := os.Stat(e.Path(path)); err != nil || !info.Mode().IsRegular() {
			continue // a folder, or a pipe that would block
		}
		f, err := e.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", path, regular.Reason(err))
		}
		head := make([]byte, 512)
		n, _ := io.ReadFull(f, head) // a short file is detected by its contents
		f.Close()
		if format.Detect(head[:n]) == format.LFTDump {
			found = append(found, path)
		}
	}
	slices.Sort(found)
	return found, nil
}

// loadTables reads tables for a subnet. If the tables name the owners of their LIDs, the
// subnet gets these LIDs.
func loadTables(e *process.Env, s *subnet.Subnet, files tableFiles) (*format.LFTs, error) {
	var all *format.LFTs
	for _, path := range files.lfts {
		err := reading(e, path, func(r io.Reader) (*format.Report, error) {
			l, _, report, err := format.ReadTables(path, r, s)
			if err == nil && all == nil {
				all = l
			} else if err == nil {
				err = all.Join(l, path)
			}
			if len(files.lfts) > 1 && report != nil {
				report.Notes = nil // each file lacks the switches of all others
			}
			return report, err
		})
		if err != nil {
			return nil, err
		}
	}
	if strangers := all.Assign(s); strangers > 0 {
		fmt.Fprintf(e.Stderr, "weft: note: %s: %d LIDs belong to ports that the fabric does not have\n", files.lfts[0], strangers)
	}
	return all, loadLanes(e, s, all.Tables, files)
}

// loadLanes reads the service levels of paths and their lanes.
func loadLanes(e *process.Env, s *subnet.Subnet, t *subnet.Tables, files tableFiles) error {
	if files.sl2vl != "" {
		err := reading(e, files.sl2vl, func(r io.Reader) (*format.Report, error) {
			m, report, err := format.ReadSL2VL(files.sl2vl, r, s)
			if err == nil {
				t.SL2VL = m.Switch
			}
			return report, err
		})
		if err != nil {
			return err
		}
	}
	if files.pathSL == "" {
		return nil
	}
	return reading(e, files.pathSL, func(r io.Reader) (*format.Report, error) {
		sl, report, err := format.ReadPathSL(files.pathSL, r, s)
		t.SL = sl
		return report, err
	})
}

// relabel changes tables to the LIDs of other tables, port by port. It returns the number
// of LIDs that differ. Tables that do not name the owners of their LIDs are left alone.
func relabel(l, like *format.LFTs) int {
	at := map[units.GUID][]int{}
	for lid, guid := range l.Port {
		if guid != 0 {
			at[guid] = append(at[guid], lid)
		}
	}
	from, moved := make([]int, len(like.Port)), 0
	taken := map[units.GUID]int{}
	for lid, guid := range like.Port {
		from[lid] = -1
		if k := taken[guid]; guid != 0 && k < len(at[guid]) {
			from[lid] = at[guid][k]
			taken[guid]++
			if from[lid] != lid {
				moved++
			}
		}
	}
	if moved == 0 {
		return 0
	}
	for i, row := range l.Tables.LFT {
		out := make([]uint8, len(from))
		for lid, old := range from {
			out[lid] = subnet.NoPort
			if old >= 0 && old < len(row) {
				out[lid] = row[old]
			}
		}
		l.Tables.LFT[i] = out
	}
	l.Tables.Top = like.Tables.Top
	if sl := l.Tables.SL; sl != nil {
		l.Tables.SL = func(src, dst units.LID) units.SL {
			if int(src) >= len(from) || int(dst) >= len(from) || from[src] < 0 || from[dst] < 0 {
				return 0
			}
			return sl(units.LID(from[src]), units.LID(from[dst]))
		}
	}
	return moved
}

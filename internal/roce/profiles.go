package roce

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/internal/base/sorting"
	"weft/units"
)

// Row is a line of a pg_profile_lookup.ini: the buffer of a lossless priority at a speed and a
// cable length.
type Row struct {
	Speed units.Rate
	Cable units.Length
	Profile
	// Threshold is the dynamic threshold as an exponent: alpha is 2^Threshold.
	Threshold int
	// XonOffset is the distance below the threshold to which the queue must drain; 0 if the file
	// has no such column.
	XonOffset units.Bytes
}

// maxRows bounds a table: a switch has some ten speeds and lengths.
const maxRows = 10_000

// ReadProfiles reads a pg_profile_lookup.ini of SONiC. Comments begin with #.
// All errors come together, each with file and line.
func ReadProfiles(name string, r io.Reader) ([]Row, error) {
	var rows []Row
	var problems []error
	in := bufio.NewScanner(r)
	for line := 1; in.Scan(); line++ {
		text, _, _ := strings.Cut(in.Text(), "#")
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		row, err := parseRow(fields)
		switch {
		case err != nil && len(problems) < maxProblems:
			problems = append(problems, fmt.Errorf("%s:%d: %w", name, line, err))
		case err == nil:
			rows = append(rows, row)
		}
		if len(rows) > maxRows {
			return nil, fmt.Errorf("%s:%d: more than %d rows: this is no table of lossless profiles", name, line, maxRows)
		}
	}
	if err := in.Err(); err != nil {
		problems = append(problems, fmt.Errorf("%s: %w", name, err))
	}
	if len(problems) == 0 && len(rows) == 0 {
		problems = append(problems, fmt.Errorf("%s: no rows; expected lines of speed, cable, size, xon, xoff and threshold", name))
	}
	return rows, errors.Join(problems...)
}

// maxProblems is the maximum number of listed errors of one file.
const maxProblems = 20

func parseRow(fields []string) (Row, error) {
	if len(fields) != 6 && len(fields) != 7 {
		return Row{}, fmt.Errorf("%d columns; expected speed, cable, size, xon, xoff, threshold and perhaps xon_offset", len(fields))
	}
	cable, err := units.ParseLength(fields[1])
	if err != nil {
		return Row{}, fmt.Errorf("the cable: %w", err)
	}
	names := [...]string{"speed", "", "size", "xon", "xoff", "threshold", "xon_offset"}
	var v [len(names)]int64
	for i, f := range fields {
		if i == 1 {
			continue
		}
		least := int64(0)
		if names[i] == "threshold" {
			least = -16
		}
		if v[i], err = strconv.ParseInt(f, 10, 64); err != nil || v[i] < least || v[i] > 1<<32 {
			return Row{}, fmt.Errorf("%s %q: expected a whole number from %d to %d", names[i], f, least, int64(1)<<32)
		}
	}
	return Row{
		Speed: units.Rate(v[0]) * units.Mbps, Cable: cable,
		Profile:   Profile{Size: units.Bytes(v[2]), Xon: units.Bytes(v[3]), Xoff: units.Bytes(v[4])},
		Threshold: int(v[5]), XonOffset: units.Bytes(v[6]),
	}, nil
}

// Between is the row of a table at a speed and a cable length. exact says that the table has this
// row. Otherwise the row lies between two rows of that speed, with XOFF in proportion to the length
// and rounded up; this is not a figure of the vendor. Other speeds and lengths outside of the
// table's are errors.
func Between(rows []Row, speed units.Rate, cable units.Length) (row Row, exact bool, err error) {
	var at []Row
	for _, r := range rows {
		if r.Speed == speed {
			at = append(at, r)
		}
	}
	if len(at) == 0 {
		return Row{}, false, fmt.Errorf("the table has no row for %v; it has %s", speed, speedsOf(rows))
	}
	sorting.Func(at, func(a, b Row) int { return int(a.Cable - b.Cable) })
	i, found := slices.BinarySearchFunc(at, cable, func(r Row, l units.Length) int { return int(r.Cable - l) })
	if found {
		return at[i], true, nil
	}
	if i == 0 || i == len(at) {
		return Row{}, false, fmt.Errorf("the table goes from %v to %v of cable at %v: %v lies outside", at[0].Cable, at[len(at)-1].Cable, speed, cable)
	}
	low, high := at[i-1], at[i]
	row = high
	span, part := int64(high.Cable-low.Cable), int64(cable-low.Cable)
	row.Cable = cable
	row.Xoff = low.Xoff + units.Bytes((int64(high.Xoff-low.Xoff)*part+span-1)/span)
	return row, false, nil
}

func speedsOf(rows []Row) string {
	var speeds []units.Rate
	for _, r := range rows {
		if !slices.Contains(speeds, r.Speed) {
			speeds = append(speeds, r.Speed)
		}
	}
	slices.Sort(speeds)
	names := make([]string, len(speeds))
	for i, s := range speeds {
		names[i] = s.String()
	}
	return strings.Join(names, ", ")
}

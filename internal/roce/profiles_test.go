package roce

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"weft/units"
)

func TestTablesAreReadAndWrittenTheSame(t *testing.T) {
	for _, name := range []string{"ACS-SN5600", "Mellanox-SN5640-C512X2", "Mellanox-SN5610N-C256S2"} {
		rows := readProfiles(t, name)
		var b bytes.Buffer
		if err := writeProfiles(&b, rows); err != nil {
			t.Fatal(err)
		}
		again, err := ReadProfiles(name, &b)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(rows, again) {
			t.Errorf("%s: %v became %v", name, rows, again)
		}
	}
}

func TestErrorsOfATableComeTogether(t *testing.T) {
	_, err := ReadProfiles("x.ini", strings.NewReader("# head\n400000 5m 1 2\n400000 5q 1 2 3 0\n400000 5m -1 2 3 0\n100000 5m 1 2 3 0\n"))
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"x.ini:2: 4 columns", "x.ini:3: the cable", `x.ini:4: size "-1"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
}

func TestValuesBetweenRowsAreNotExact(t *testing.T) {
	_, table, err := Lookup("tomahawk-5")
	if err != nil {
		t.Fatal(err)
	}
	rows := table.Rows
	row, exact, err := Between(rows, 400*units.Gbps, 40*units.Metre)
	if err != nil || !exact || row.Xoff != 446024 {
		t.Errorf("40 m: %d, exact %v, %v; the table has 446024", row.Xoff, exact, err)
	}
	row, exact, err = Between(rows, 400*units.Gbps, 170*units.Metre)
	if want := units.Bytes((446024 + 839216) / 2); err != nil || exact || row.Xoff != want {
		t.Errorf("170 m, half-way from 40 to 300: %d, exact %v, %v; want %d", row.Xoff, exact, err, want)
	}
	if _, _, err = Between(rows, 400*units.Gbps, 2000*units.Metre); err == nil {
		t.Error("2 km: accepted; the table ends at 300 m")
	}
	if _, _, err = Between(rows, 1*units.Gbps, 5*units.Metre); err == nil {
		t.Error("1 Gb/s: accepted; the table begins at 10")
	}
}

func FuzzReadProfiles(f *testing.F) {
	f.Add("# speed\n 10000 5m 64512 19456 45056 0\n")
	f.Add("400000 40m 18796 0 446024 0 3556")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := ReadProfiles("fuzz", strings.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := writeProfiles(&b, rows); err != nil {
			t.Fatal(err)
		}
		again, err := ReadProfiles("written", &b)
		if err != nil || !slices.Equal(rows, again) {
			t.Errorf("%q: %v became %v, %v", text, rows, again, err)
		}
	})
}

// writeProfiles writes rows as a pg_profile_lookup.ini.
func writeProfiles(w io.Writer, rows []Row) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "# PG lossless profiles.")
	fmt.Fprintln(out, "# speed  cable     size      xon     xoff  threshold  xon_offset")
	for _, r := range rows {
		fmt.Fprintf(out, "%7d %6s %8d %8d %8d %10d %11d\n",
			r.Speed/units.Mbps, r.Cable.Exact(), r.Size, r.Xon, r.Xoff, r.Threshold, r.XonOffset)
	}
	return out.Flush()
}

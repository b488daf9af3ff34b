package logfile

import (
	"strings"
	"testing"
)

// Sizes in MB or without a unit, and bandwidths in gbps, are read by what makes algbw the size over the time; what fits in no
// unit is left out.
func TestUnitsFollowFromTheOtherColumns(t *testing.T) {
	for _, c := range []struct{ heading, row, note string }{
		{"op,ranks,size_mb,time_us,algbw_gbps", "all_reduce,16,64,502.8,1067.77", "sizes in MB are taken for MiB, bandwidths are taken for Gb/s"},
		{"op,ranks,size,time(us),algbw(GB/s)", "all_reduce,16,64,502.8,133.47", "sizes without a unit are taken for MiB"},
		{"op,ranks,Size (MiB),time(us),algbw(GB/s)", "all_reduce,16,64,502.8,133.47", ""},
		{"op,ranks,size_bytes,time_us,algbw_gbps", "all_reduce,16,67108864,502.8,1067.77", "bandwidths are taken for Gb/s"},
		{"op,ranks,size,time_us,algbw", "all_reduce,16,67108864,502.8,133.47", ""},
	} {
		l, err := Read("x.csv", strings.NewReader(c.heading+"\n"+c.row+"\n"))
		if err != nil {
			t.Errorf("%s: %v", c.heading, err)
			continue
		}
		if l.Partial() {
			t.Errorf("%s: nothing is left out, and the log is called partial", c.heading)
		}
		row := l.Tables[0].Rows[0]
		if row.Bytes != 64<<20 || row.AlgGBps < 133.4 || row.AlgGBps > 133.5 {
			t.Errorf("%s: %d bytes at %g GB/s, want 64 MiB at 133.47", c.heading, row.Bytes, row.AlgGBps)
		}
		var notes []string
		for _, n := range l.Notes {
			notes = append(notes, n.Text)
		}
		if all := strings.Join(notes, "; "); !strings.HasPrefix(all, c.note) || (c.note == "") != (all == "") {
			t.Errorf("%s: %q, want %q", c.heading, all, c.note)
		}
	}
	if l, err := Read("x.csv", strings.NewReader("op,ranks,size_bytes,time_us,algbw(GB/s)\nall_reduce,16,64,502.8,133.47\n")); err == nil {
		t.Errorf("a size in bytes that does not fit is read: %+v", l.Tables[0].Rows)
	}
}

package calibrate

import (
	"fmt"
	"strings"
	"testing"
)

// ibWriteBW is a log of ib_write_bw: rows of a size and Gb/s, on an MTU; 0 for a log without it.
func ibWriteBW(mtu int, rows ...[2]float64) string {
	text := "RDMA_Write BW Test\n"
	if mtu > 0 {
		text += fmt.Sprintf(" Mtu             : %d[B]\n", mtu)
	}
	text += "#bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
	for _, r := range rows {
		text += fmt.Sprintf("%.0f 5000 %.2f %.2f 1.0\n", r[0], r[1], r[1])
	}
	return text + "---------------\n"
}

// Perftest prints the MTU with which it ran: another one is no cause.
func TestAnMTUThatTheLogSaysIsTheOnlyOne(t *testing.T) {
	c := describe(t, small)
	for mtu, want := range map[int]string{0: "2 KiB, 1 KiB, 512 B, 256 B", 4096: "", 1024: "1 KiB", 256: "256 B", 1500: ""} {
		tasks, _ := c.Tasks(read(t, ibWriteBW(mtu, [2]float64{65536, 172}))[0], Options{})
		variants, why := smallerMTU(c, tasks[0])
		var got []string
		for _, v := range variants {
			got = append(got, strings.TrimSuffix(strings.TrimPrefix(v.label, "MTU "), " instead of 4 KiB"))
		}
		if strings.Join(got, ", ") != want || why == "" {
			t.Errorf("of an MTU of %d %v are tried (%s), want %s", mtu, got, why, want)
		}
	}
}

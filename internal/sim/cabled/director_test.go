package cabled

import (
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
)

// A plan lists a director as one device, with more ports than a chip has: it is read, for a comparison, and the error
// of a simulation says what is missing.
func TestDirectorInAPlan(t *testing.T) {
	var plan strings.Builder
	plan.WriteString("#StartDevice,StartPort,EndDevice,EndPort,LinkType\n")
	for i := range 300 {
		fmt.Fprintf(&plan, "leaf%d,Port %d,director,Blade %d_Port %d/%d,Data\n", i/20+1, i%20+21, i/40+1, i/20%2+1, i%20+1)
	}
	s, err := Read("plan.ndt", Files{
		Open:   func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(plan.String())), nil },
		Folder: func(string) fs.FS { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Cables) != 300 || len(s.Devices) != 16 {
		t.Errorf("%d cables of %d devices, want 300 of 16", len(s.Cables), len(s.Devices))
	}
	_, err = s.Place(Choice{})
	if err == nil || !strings.Contains(err.Error(), "director has 300 ports with cables, and one chip at most 254") {
		t.Errorf("Place: %v", err)
	}
}

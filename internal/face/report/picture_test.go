package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestAPictureNeedsNoPage: it is XML by itself, with a line of each fabric in both plots.
func TestAPictureNeedsNoPage(t *testing.T) {
	var b strings.Builder
	r := fabricate(threeFabrics, sizesOf())
	if err := Picture(&b, r); err != nil {
		t.Fatal(err)
	}
	in := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		if _, err := in.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
	}
	for i, f := range r.Fabrics {
		if n := strings.Count(b.String(), fmt.Sprintf(`class="line s%d"`, i)); n != 3 { // and in the legend
			t.Errorf("%s has %d lines, want 3", f.Name, n)
		}
	}
	r.Fabrics = nil
	if err := Picture(&b, r); err == nil {
		t.Error("a run without results is drawn")
	}
}

package report

import (
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/results"
)

func TestATransferWithoutAResultSaysWhy(t *testing.T) {
	var text strings.Builder
	d := KVTransfers(&results.KVTransfers{Fabrics: []results.KVFabric{
		{Name: "a", Rows: []results.KVRow{{Tokens: 7, Failure: results.Stopped}}},
		{Name: "b", Rows: []results.KVRow{{Tokens: 7, Failure: "deadlock"}}},
	}})
	if err := d.Terminal(&text, doc.Style{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a       7       stopped", "b       7        failed"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

package cli

import (
	"context"
	"strings"
	"testing"

	"weft"
	"weft/internal/face/cli/exit"
)

// Without a result there is no table, but the reason.
func TestATableWithoutAResultIsAnError(t *testing.T) {
	e := environment(strings.Fields("bench all-reduce -b 1M -e 2M -f 2 --cluster mi300x-8 --nodes 1 --proto ll128"))
	var out, errs strings.Builder
	e.Stdout, e.Stderr, e.Run = &out, &errs, weft.Run
	const want = "NCCL has no such pair for all-reduce on a cluster of 1 × 8 CDNA3 GPUs: want Tree LL, Ring LL, Ring Simple"
	if code := Main(context.Background(), e); code != exit.Failed || out.String() != "" || !strings.Contains(errs.String(), want) {
		t.Errorf("exit code %d, %q, %q: want the reason alone", code, out.String(), errs.String())
	}
}

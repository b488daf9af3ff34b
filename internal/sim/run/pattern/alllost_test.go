package pattern

import (
	"strings"
	"testing"

	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
)

// A run that has lost every message says why, as far as it knows.
func TestARunThatLosesAllSaysWhetherPacketsCameOutOfTurn(t *testing.T) {
	r := &patternRun{verbs: network.Verbs{Service: transport.UC}}
	if got := r.allLost(4, 0).Error(); got != "all 4 messages were lost: UC has no acknowledgements" {
		t.Error(got)
	}
	if got := r.allLost(4, 9).Error(); !strings.Contains(got, "9 of their packets came out of turn") || !strings.Contains(got, "routing.mode") {
		t.Error(got)
	}
}

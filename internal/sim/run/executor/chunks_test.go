package executor_test

import (
	"fmt"
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/results"
)

// pairsPoint is the result of an operation of point-to-point messages between two nodes whose cables
// share a spine by hash.
func pairsPoint(t *testing.T, workload, transport string) results.Point {
	t.Helper()
	return runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 4, node: {gpus: 2, nics: 2, gpu: h100}}
topology: {shape: fat-tree, levels: 2, radix: 8}
fabrics: [{preset: roce-v2-400g, routing: {mode: ecmp}, transport: {`+transport+`}}]
workload: {`+workload+`}`), 1).Fabrics[0].Points[0]
}

// TestPairsGoOverSeveralQueuePairs runs operations whose messages of a pair take queue pairs in turn, so that
// ECMP has several paths for them: another number of queue pairs gives another time, and the same messages.
func TestPairsGoOverSeveralQueuePairs(t *testing.T) {
	for _, op := range []string{"all-to-all", "scatter", "gather", "send-recv"} {
		workload := "collective: " + op + ", sizes: [8MiB]"
		one, four := pairsPoint(t, workload, "qps-per-connection: 1"), pairsPoint(t, workload, "qps-per-connection: 4")
		if one.Time == four.Time || one.Flows.N != four.Flows.N {
			t.Errorf("%s: %v and %d messages with one queue pair a connection, %v and %d with four", op, one.Time, one.Flows.N, four.Time, four.Flows.N)
		}
	}
}

// TestPairsSendNCCLsChunks counts the messages of an all-to-all of 8 MiB between the eight GPUs of four nodes: each of
// the 48 pairs in different nodes has 1 MiB, in chunks of 128 KiB or those of the scenario.
func TestPairsSendNCCLsChunks(t *testing.T) {
	for chunk, pieces := range map[string]int64{"0B": 8, "64KiB": 16, "1MiB": 2} { // a pair has two channels
		if got := pairsPoint(t, fmt.Sprintf("collective: all-to-all, channels: 2, chunk: %s, sizes: [8MiB]", chunk), "").Flows.N; got != 48*pieces {
			t.Errorf("chunk %s: %d messages, want %d", chunk, got, 48*pieces)
		}
	}
}

// TestAChunkLeavesBeforeTheKernelHasWrittenTheNext compares one message of 8 MiB to the other node with 64
// chunks of it. The kernel's block writes at a rate below the wire's, so that the chunks save nearly all the wire's time.
func TestAChunkLeavesBeforeTheKernelHasWrittenTheNext(t *testing.T) {
	at := func(chunk string) results.Point {
		return runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 2, node: {gpus: 1, nics: 1, gpu: h100}}
fabrics: [infiniband-ndr]
workload: {collective: all-to-all, channels: 1, chunk: `+chunk+`, sizes: [16MiB]}`), 1).Fabrics[0].Points[0]
	}
	whole, chunks := at("8MiB"), at("128KiB")
	wire := 8 << 20 * 8 / 400e9 // s
	if saved := (whole.Time - chunks.Time).Seconds(); saved < .8*wire {
		t.Errorf("8 MiB take %v as a whole and %v in chunks: %.0f us less, want about the wire's %.0f us", whole.Time, chunks.Time, saved*1e6, wire*1e6)
	}
}

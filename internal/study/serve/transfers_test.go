package serve

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"weft/results"
	"weft/scenario"
)

// small is a model of four layers with 8 heads of 128: 4 KiB of a token and layer.
const small = "{layers: 4, hidden: 1024, ffn: 4096, heads: 8, kv-heads: 8, head-dim: 128, vocab: 1000, sequence: 2048}"

// unbounded are the fields of a library that moves all that the NICs can.
func unbounded() []scenario.Override {
	return []scenario.Override{scenario.Set("serving.kv.rate", "0bps", "test"), scenario.Set("serving.kv.share", "100%", "test")}
}

// moved is the transfer of 4,096 tokens with changes of the scenario.
func moved(t *testing.T, o TransferOptions, serving string, set ...scenario.Override) results.KVRow {
	t.Helper()
	text := fmt.Sprintf("cluster: {nodes: 3}\ntopology: {shape: single-switch}\nfabric: infiniband-ndr\nserving:\n  model: %s\n%s", small, serving)
	file, err := scenario.Decode("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.Resolve(append(unbounded(), set...)...)
	if err != nil {
		t.Fatal(err)
	}
	if o.Tokens == nil {
		o.Tokens = []int{4096}
	}
	out, err := Transfers(context.Background(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.Fabrics[0].Rows[0]
}

const whole = "  prefill: {nodes: 1, tensor: 8}\n  decode: {nodes: 1, tensor: 8}\n  kv: {layer-time: 0ps}\n"

// A layer of a GPU is 2 MiB, which a port of 400 Gb/s carries in 42 us with headers; a layer waits for the one before.
func TestALayerTakesItsBytesOverTheRate(t *testing.T) {
	row := moved(t, TransferOptions{}, whole)
	const packets = 512 // of 4 KiB
	want := 4 * (packets * (4096 + 26 + 8) * 8 / 400e9)
	if got := float64(row.MeanPs) / 1e12; got < want || got > want*1.05 {
		t.Errorf("%.1f us, want %.1f and up to 5 %% for the ways of four layers", got*1e6, want*1e6)
	}
	if row.Bytes != 4096*4*4096 {
		t.Errorf("%d bytes, want 4,096 tokens of 4 layers of 4 KiB", row.Bytes)
	}
}

// An interrupted run marks its transfers as stopped, not as failed: those in progress and those that have not begun.
func TestInterruptedTransfersAreStopped(t *testing.T) {
	file, err := scenario.Decode("test", []byte(fmt.Sprintf("cluster: {nodes: 2}\nfabrics: [infiniband-ndr, roce-v2-400g]\nserving:\n  model: %s\n%s", small, whole)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	out, err := Transfers(ctx, r, TransferOptions{Tokens: []int{100_000_000}, Workers: 1})
	if err == nil || !out.Partial {
		t.Fatalf("%v, partial %v", err, out.Partial)
	}
	for _, f := range out.Fabrics {
		if row := f.Rows[0]; row.Failure != results.Stopped || row.Tokens != 100_000_000 || row.TotalPs != 0 {
			t.Errorf("%s: %+v", f.Name, row)
		}
	}
}

func TestTheLibrarysTimeIsAddedToEveryLayer(t *testing.T) {
	without := moved(t, TransferOptions{}, whole)
	with := moved(t, TransferOptions{}, whole, scenario.Set("serving.kv.layer-time", "50us", "test"))
	if got := float64(with.MeanPs-without.MeanPs) / 1e6; math.Abs(got-200) > 1 {
		t.Errorf("50 us for each of four layers add %.1f us, want 200", got)
	}
}

func TestReadersAndWritersMoveAsMuch(t *testing.T) {
	write := moved(t, TransferOptions{}, whole)
	read := moved(t, TransferOptions{}, whole, scenario.Set("serving.kv.operation", "read", "test"))
	if ratio := float64(read.MeanPs) / float64(write.MeanPs); ratio < 1 || ratio > 1.1 {
		t.Errorf("READ takes %.3f of the time of WRITE, want 1 to 1.1: a round trip for each layer", ratio)
	}
}

// One GPU passes all heads on to one GPU: a NIC of eight carries them, or two.
func TestTwoNICsTakeHalfTheTime(t *testing.T) {
	const one = "  prefill: {nodes: 1, tensor: 1}\n  decode: {nodes: 1, tensor: 1}\n  kv: {layer-time: 0ps, nics: 1}\n"
	single := moved(t, TransferOptions{Batch: 1}, one)
	double := moved(t, TransferOptions{Batch: 1}, one, scenario.Set("serving.kv.nics", 2, "test"))
	if ratio := float64(single.MeanPs) / float64(double.MeanPs); ratio < 1.95 || ratio > 2.05 {
		t.Errorf("two NICs are %.3f times as fast as one, want 2", ratio)
	}
}

// Two prefill instances pass requests on to the only decode instance, whose NICs are shared.
func TestMorePrefillThanDecodeIsAnIncast(t *testing.T) {
	const pools = "  prefill: {nodes: 2, tensor: 8}\n  decode: {nodes: 1, tensor: 8}\n  kv: {layer-time: 0ps}\n"
	alone := moved(t, TransferOptions{Batch: 1}, pools)
	both := moved(t, TransferOptions{}, pools)
	if ratio := float64(both.MeanPs) / float64(alone.MeanPs); ratio < 1.9 || ratio > 2.05 {
		t.Errorf("two at a time take %.3f times as long as one, want 2", ratio)
	}
}

// Heads that part in every token are work requests of 256 bytes, which take a thread's time each.
func TestSmallBlocksAreSlow(t *testing.T) {
	const pools = "  prefill: {nodes: 1, tensor: 4}\n  decode: {nodes: 1, tensor: 8}\n  kv: {layer-time: 0ps, page: 64}\n"
	tokens := moved(t, TransferOptions{Batch: 1}, pools)
	heads := moved(t, TransferOptions{Batch: 1}, pools, scenario.Set("serving.kv.layout", "hnd", "test"))
	if tokens.Block != 256 || heads.Block != 64*256 || tokens.MeanPs < 4*heads.MeanPs {
		t.Errorf("blocks of %d and %d bytes take %d and %d ps", tokens.Block, heads.Block, tokens.MeanPs, heads.MeanPs)
	}
}

func TestTransfersDoNotDependOnCores(t *testing.T) {
	one := moved(t, TransferOptions{Workers: 1}, whole, scenario.Set("run.jitter", true, "test"))
	two := moved(t, TransferOptions{Workers: 2}, whole, scenario.Set("run.jitter", true, "test"))
	if !reflect.DeepEqual(one, two) {
		t.Errorf("one core: %+v, two: %+v", one, two)
	}
}

// A layer of 80 requests is 40,960 slices for one send queue, which takes 32,768: the others wait for room, and the NIC
// stays as busy as with few.
func TestSlicesWaitForRoomInASendQueue(t *testing.T) {
	const one = "  prefill: {nodes: 1, tensor: 1}\n  decode: {nodes: 1, tensor: 1}\n  kv: {layer-time: 0ps, slice: 16KiB}\n"
	gpu := []scenario.Override{scenario.Set("cluster.node.gpus", 1, "test"), scenario.Set("cluster.node.nics", 1, "test")}
	for _, operation := range []string{"write", "read"} {
		set := append(gpu, scenario.Set("serving.kv.operation", operation, "test"))
		few := moved(t, TransferOptions{Batch: 8, Tokens: []int{2048}}, one, set...)
		many := moved(t, TransferOptions{Batch: 80, Tokens: []int{2048}}, one, set...)
		if ratio := many.GBps / few.GBps; many.Bytes != 10*few.Bytes || ratio < 0.98 || ratio > 1.05 {
			t.Errorf("%s: %d bytes at %.1f GB/s; a tenth of the requests: %d bytes at %.1f GB/s", operation, many.Bytes, many.GBps, few.Bytes, few.GBps)
		}
	}
}

// A stream to the NIC of a GPU of decode takes half of its rate: the GPU's layers take twice as long.
func TestTrafficBesideSlowsATransfer(t *testing.T) {
	const ring = "fabrics[0].beside"
	alone := moved(t, TransferOptions{}, whole)
	beside := moved(t, TransferOptions{}, whole, scenario.Override{Path: ring, Value: "[{name: other, src: 16, dst: 8, bytes: 1MiB, depth: 4}]", Origin: "test"})
	if ratio := float64(beside.TotalPs) / float64(alone.TotalPs); ratio < 1.7 || ratio > 2.3 {
		t.Errorf("with a stream it takes %.2f times as long, want 2", ratio)
	}
	if len(beside.Beside) != 1 || beside.Beside[0].Messages == 0 {
		t.Errorf("the stream is %+v", beside.Beside)
	}
}

// A million tokens whose heads part are two million work requests of a message; more are refused.
func TestTooManyWorkRequestsAreRefused(t *testing.T) {
	file, err := scenario.Decode("test", []byte(fmt.Sprintf("cluster: {nodes: 2}\ntopology: {shape: single-switch}\nfabric: infiniband-ndr\nserving:\n  model: %s\n  prefill: {tensor: 4}\n  decode: {tensor: 8}\n", small)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Transfers(context.Background(), r, TransferOptions{Tokens: []int{2_000_000}}); err == nil || !strings.Contains(err.Error(), "takes 4000000 work requests") {
		t.Errorf("4,000,000 work requests: %v", err)
	}
}

// The library moves from a node no more than a share of its NICs' rate, and no more than its own.
func TestTheLibraryBoundsWhatANodeSends(t *testing.T) {
	const pools = "  prefill: {nodes: 1, tensor: 8}\n  decode: {nodes: 1, tensor: 8}\n"
	of := func(rate, share string) float64 {
		return moved(t, TransferOptions{Tokens: []int{1 << 20}}, pools, scenario.Set("serving.kv.rate", rate, "t"), scenario.Set("serving.kv.share", share, "t"), scenario.Set("serving.kv.layer-time", "0s", "t")).GBps
	}
	for _, x := range []struct {
		rate, share string
		want        float64
	}{{"100GB/s", "100%", 100}, {"0bps", "50%", 200}, {"300GB/s", "50%", 200}, {"300GB/s", "90%", 300}} {
		if got := of(x.rate, x.share); math.Abs(got/x.want-1) > 0.01 {
			t.Errorf("a library of %s and %s of 8 NICs of 400 Gb/s moves %.1f GB/s, want %.0f", x.rate, x.share, got, x.want)
		}
	}
}

package emulate_test

import (
	"context"
	"net"
	"testing"

	"weft/internal/live/emulate"
	"weft/internal/live/perf"
)

// What weft live perf measures on an emulated fabric is in the fabric's time: with a dilation of 200 the machine's
// clock would show a two-hundredth of the link's rate.
func TestMeasurementsAreInTheFabricsTime(t *testing.T) {
	const line = 400.0 // Gb/s
	socket, _ := start(t, oneSwitch, emulate.Options{Dilation: 200})
	t.Setenv("WEFT_EMULATOR", socket)
	device := func(nic string) *perf.Device {
		t.Setenv("WEFT_NIC", nic)
		d, err := perf.OpenDevice(perf.DeviceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		return d
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	server := device("node1/nic0")
	go func() {
		served <- perf.Serve(ctx, l, server.Device, perf.DefaultMemory, func(net.Addr, *perf.Test, error) {})
	}()
	defer func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	c, err := perf.Dial(ctx, device("node0/nic0").Device, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, m := range []perf.Test{
		{Verb: perf.Write, Kind: perf.Bandwidth, Size: 1 << 20, Iters: 32, QPs: 1, MTU: 4096, Depth: 32, List: 16, Inline: 0},
		{Verb: perf.Write, Kind: perf.Latency, Size: 8, Iters: 50, QPs: 1, MTU: 4096, Depth: 1, List: 1, Inline: 8},
	} {
		r, err := c.Run(ctx, m, func(*perf.Test, *perf.End, *perf.End) {})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v: %.1f Gb/s, typically %.2f us", m.Kind, r.Average*8/1e9, r.Typical)
		switch {
		case m.Kind == perf.Bandwidth && (r.Average*8/1e9 > line || r.Average*8/1e9 < line/2):
			t.Errorf("%.1f Gb/s over a link of %.0f", r.Average*8/1e9, line)
		case m.Kind == perf.Latency && (r.Min < 0.5 || r.Min > 20):
			t.Errorf("one way takes %.2f us: want 0.5 to 20", r.Min)
		}
	}
}

package emulate_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"weft/internal/live/emulate"
	"weft/internal/test/simtest"
	"weft/scenario"
	"weft/verbs"
)

// oneSwitch is a switch with NICs of 25 Gb/s.
const oneSwitch = `
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [{preset: roce-v2-400g}]
workload: {pattern: incast, fan-in: 1, sizes: [1MiB]}
`

// fabric starts an emulated fabric, and ends it with the test.
func start(t testing.TB, text string, o emulate.Options) (socket string, end func() *emulate.Report) {
	t.Helper()
	return startResolved(t, simtest.Resolve(t, text), o)
}

func startResolved(t testing.TB, r *scenario.Resolved, o emulate.Options) (socket string, end func() *emulate.Report) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	o.Socket = filepath.Join(t.TempDir(), "fabric")
	ready, done := make(chan bool), make(chan *emulate.Report, 1)
	o.Ready = func([]emulate.NIC) { close(ready) }
	if o.Tell == nil {
		o.Tell = t.Logf
	}
	go func() {
		f, err := emulate.Run(ctx, r, o)
		if err != nil {
			t.Error(err)
		}
		done <- f
	}()
	select {
	case <-ready:
	case <-done:
		t.FailNow()
	}
	var f *emulate.Report
	end = func() *emulate.Report {
		cancel()
		if f == nil {
			f = <-done
		}
		return f
	}
	t.Cleanup(func() { end() })
	return o.Socket, end
}

// side is one side of a connection.
type side struct {
	dev *verbs.Device
	pd  *verbs.PD
	cq  *verbs.CQ
	qp  *verbs.QP
	mr  *verbs.MR
	buf []byte
}

func open(t testing.TB, socket, nic string, size int) *side {
	t.Helper()
	dev, err := verbs.Open(verbs.Options{Emulator: socket, NIC: nic})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.Close() })
	e := &side{dev: dev, buf: make([]byte, size)}
	pd := dev.AllocPD()
	if e.mr, err = pd.RegMR(e.buf, verbs.AccessLocalWrite|verbs.AccessRemoteWrite|verbs.AccessRemoteRead); err != nil {
		t.Fatal(err)
	}
	if e.cq, err = dev.CreateCQ(1024); err != nil {
		t.Fatal(err)
	}
	e.pd = pd
	if e.qp, err = pd.CreateQP(verbs.QPInitAttr{Type: verbs.RC, SendCQ: e.cq, RecvCQ: e.cq, MaxSendWR: 128, MaxRecvWR: 16}); err != nil {
		t.Fatal(err)
	}
	return e
}

// another is a further queue pair of a side.
func (e *side) another(t testing.TB) *side {
	t.Helper()
	own := *e
	var err error
	if own.qp, err = e.pd.CreateQP(verbs.QPInitAttr{Type: verbs.RC, SendCQ: e.cq, RecvCQ: e.cq, MaxSendWR: 128, MaxRecvWR: 16}); err != nil {
		t.Fatal(err)
	}
	return &own
}

func connect(t testing.TB, a, b *side) {
	t.Helper()
	for _, p := range [][2]*side{{a, b}, {b, a}} {
		err := p[0].qp.Connect(verbs.Remote{Addr: p[1].dev.Addr(), QPN: p[1].qp.QPN(), PSN: 7}, 7, verbs.AccessRemoteWrite|verbs.AccessRemoteRead)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// write posts a WRITE of the whole buffer.
func (e *side) write(t testing.TB, to *side) {
	t.Helper()
	err := e.qp.PostSend(verbs.SendWR{
		Opcode: verbs.RDMAWrite, SGL: []verbs.SGE{e.mr.SGE(0, len(e.buf))},
		RemoteAddr: to.mr.Addr(), RKey: to.mr.RKey(), Flags: verbs.SendSignaled,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// completion waits for a completion.
func (e *side) completion(t testing.TB) verbs.WC {
	t.Helper()
	var wc [1]verbs.WC
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); {
		if n, err := e.cq.Poll(wc[:]); err != nil {
			t.Fatal(err)
		} else if n == 1 {
			return wc[0]
		}
	}
	t.Fatal("no completion in 20 s")
	return wc[0]
}

// TestAWriteCrossesTheFabric writes a megabyte from one NIC of a switch to another.
func TestAWriteCrossesTheFabric(t *testing.T) {
	socket, end := start(t, oneSwitch, emulate.Options{})
	a, b := open(t, socket, "", 1<<20), open(t, socket, "", 1<<20)
	connect(t, a, b)
	rand.NewChaCha8([32]byte{1}).Read(a.buf)
	a.write(t, b)
	if wc := a.completion(t); wc.Status != verbs.Success {
		t.Fatalf("the WRITE ended with %v", wc.Status)
	}
	b.dev.Progress() // what the device has written can be read now
	if !bytes.Equal(a.buf, b.buf) {
		t.Error("the bytes differ")
	}
	for _, d := range end().Devices {
		if d.Repeated != 0 || d.Lost != 0 || d.PacketsSent+d.PacketsReceived != 256+16 {
			t.Errorf("%+v; want 256 packets of data and 16 acknowledgements, each once", d)
		}
	}
}

// TestMain gives each device a processor of Go's: the fabric's and the devices' are processes of their own in use.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(32)
	os.Exit(m.Run())
}

package verbs_test

import (
	"fmt"
	"log"
	"net/netip"

	"weft/verbs"
)

// end is one end of a connection: a device, a region of memory and a queue pair.
type end struct {
	dev *verbs.Device
	mr  *verbs.MR
	cq  *verbs.CQ
	qp  *verbs.QP
}

func open(address string, memory []byte) *end {
	dev, err := verbs.Open(verbs.Options{Addr: netip.MustParseAddrPort(address)})
	if err != nil {
		log.Fatal(err)
	}
	e := &end{dev: dev}
	pd := dev.AllocPD()
	if e.mr, err = pd.RegMR(memory, verbs.AccessLocalWrite|verbs.AccessRemoteWrite); err != nil {
		log.Fatal(err)
	}
	if e.cq, err = dev.CreateCQ(16); err != nil {
		log.Fatal(err)
	}
	e.qp, err = pd.CreateQP(verbs.QPInitAttr{Type: verbs.RC, SendCQ: e.cq, RecvCQ: e.cq, MaxSendWR: 16})
	if err != nil {
		log.Fatal(err)
	}
	return e
}

// Two devices on this machine: one writes into the memory of the other.
func Example() {
	from, to := []byte("by RDMA WRITE"), make([]byte, 13)
	a, b := open("127.40.0.1:4791", from), open("127.40.0.2:4791", to)
	defer a.dev.Close()
	defer b.dev.Close()

	const psnA, psnB = 100, 200
	if err := a.qp.Connect(b.qp.Remote(psnB), psnA, verbs.AccessRemoteWrite); err != nil {
		log.Fatal(err)
	}
	if err := b.qp.Connect(a.qp.Remote(psnA), psnB, verbs.AccessRemoteWrite); err != nil {
		log.Fatal(err)
	}

	err := a.qp.PostSend(verbs.SendWR{
		WRID: 1, Opcode: verbs.RDMAWrite, Flags: verbs.SendSignaled, SGL: []verbs.SGE{a.mr.SGE(0, len(from))},
		RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey(),
	})
	if err != nil {
		log.Fatal(err)
	}
	wc := make([]verbs.WC, 1)
	for n := 0; n == 0; {
		if n, err = a.cq.Poll(wc); err != nil {
			log.Fatal(err)
		}
	}
	b.dev.Progress() // the other device's memory can be read now
	fmt.Println(wc[0].Opcode, wc[0].Status.String())
	fmt.Println(string(to))
	// Output:
	// IBV_WC_RDMA_WRITE IBV_WC_SUCCESS
	// by RDMA WRITE
}

// Package verbs is RDMA on any machine: the objects and operations of the InfiniBand verbs (IBA
// vol. 1, chapter 11), on a RoCE v2 device in user space. It needs no RDMA NIC, no kernel module
// and no privilege.
//
// Names and semantics follow the verbs' man pages (ibv_reg_mr, ibv_modify_qp, ibv_post_send
// and so on):
//
//	dev, err := verbs.Open(verbs.Options{Addr: netip.MustParseAddrPort("127.0.0.1:4791")})
//	pd := dev.AllocPD()
//	mr, err := pd.RegMR(make([]byte, 1<<20), verbs.AccessLocalWrite|verbs.AccessRemoteWrite)
//	cq, err := dev.CreateCQ(64)
//	qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.RC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 32})
//	own := qp.Remote(psn)                                 // goes to the peer, by any way
//	err = qp.Connect(peers, psn, verbs.AccessRemoteWrite) // or Modify, state by state
//	err = qp.PostSend(verbs.SendWR{...})
//	n, err := cq.Poll(wc) // the example is a whole program
//
// # Memory
//
// A registered buffer has a virtual address chosen by the device, not the process's own, so peers
// learn nothing of the process. The payload of a message goes from the buffer to the socket by
// scatter-gather. Arriving payload is checked in the socket's buffer and then copied to its place.
//
// As with any RDMA device, a buffer changes while the program runs. The device writes with its lock
// held: data written before a completion was polled, or before Device.Progress returned, can be
// read.
//
// A memory window (AllocMW) gives a peer access to a part of a region by a separate key. QP.BindMW
// binds type 1. A work request binds type 2, to its queue pair; LocalInv, or the peer's
// SendWithInv, invalidates its key. SendWithInv can invalidate nothing else.
//
// # Datagrams
//
// A queue pair of UD sends to an address handle, of a device or of a multicast group (AttachMcast);
// Device.Resolve asks a device for the queue pair that serves a port.
//
// # Concurrency
//
// All methods may be called from any goroutine. Each device has one lock and one goroutine. A
// polling goroutine does the device's work itself, which is fastest; a goroutine that waits for an
// event sleeps.
//
// # Wires
//
// Packets go by UDP; to devices of the same user on the same machine through shared memory, unless
// Options.SocketOnly is set; with Options.Emulator, or WEFT_EMULATOR in the environment, through a
// fabric that weft emulate simulates, with its clock, path MTU and congestion control.
//
// # Errors
//
// Calls return errors that wrap one of ErrInvalid, ErrNoMemory, ErrBusy and ErrClosed, the verbs'
// EINVAL, ENOMEM, EBUSY and a closed device. Accepted work requests end with a Status, which has
// the names and numbers of ibv_wc_status.
//
// # What it leaves out
//
// Reliable datagrams (RD), automatic path migration, more than one port, P_Key tables of more than
// one entry.
package verbs

// Package verbs is RDMA on any machine: the objects and operations of the
// InfiniBand verbs (IBA vol. 1, chapter 11), on a RoCE v2 device in user space.
// It needs no RDMA NIC, no kernel module and no privilege.
//
// Names and semantics are those of the verbs' man pages (ibv_reg_mr,
// ibv_modify_qp, ibv_post_send and so on):
//
//	dev, err := verbs.Open(verbs.Options{Addr: netip.MustParseAddrPort("127.0.0.1:4791")})
//	pd := dev.AllocPD()
//	mr, err := pd.RegMR(make([]byte, 1<<20), verbs.AccessLocalWrite|verbs.AccessRemoteWrite)
//	cq, err := dev.CreateCQ(64)
//	qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.RC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 32})
//	err = qp.Connect(remote)            // or Modify, state by state
//	err = qp.PostSend(verbs.SendWR{...})
//	n, err := cq.Poll(wc)
//
// # Memory
//
// A registered buffer has a virtual address that the device gives out, not the
// process's own: peers learn nothing of the process. The payload of a message
// goes from the buffer to the socket by scatter-gather; what arrives is checked in
// the socket's buffer and then copied to its place.
//
// Like with any RDMA device a buffer is written to while the program runs. The
// device writes with its lock held: what was written before a completion was
// polled, or before Device.Progress returned, is there to read.
//
// A memory window (AllocMW) lets a peer reach a part of a region by a key of its own.
// Type 1 is bound by QP.BindMW, type 2 by a work request, to that queue pair; its key
// ends by LocalInv, or by the peer's SendWithInv, which can end nothing else.
//
// # Concurrency
//
// All methods may be called from any goroutine. Each device has one lock and one
// goroutine. A goroutine that polls does the device's work itself, which is the
// quickest; one that waits for an event sleeps.
//
// # Errors
//
// Calls return errors that wrap one of ErrInvalid, ErrNoMemory, ErrBusy and
// ErrClosed, the verbs' EINVAL, ENOMEM, EBUSY and a device that is gone. Work that
// was taken ends with a Status, which has the names and numbers of ibv_wc_status.
//
// # What it leaves out
//
// XRC, RD, automatic path migration, more than one
// port, P_Key tables of more than one entry.
package verbs

// Package cm holds the messages of InfiniBand's communication management (IBA
// vol. 1, 12.6), by which two hosts connect queue pairs: management datagrams of
// class 7 between general services interfaces, the queue pairs 1.
//
// Each message has AppendTo, which appends the 232 bytes behind the MAD's common
// header, and Parse, which reads them. Service IDs and the head of the private
// data of a REQ follow the IP addressing annex (A11), as rdma_cm uses them.
//
// Left out: MRA, LAP and APR (nothing here migrates paths or delays answers),
// alternate paths, RD and XRC.
package cm

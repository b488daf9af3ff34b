// Package buffer is the memory management of an Ethernet switch: a buffer shared by all ports, with
// accounting per ingress port and priority.
//
// It follows shared-buffer ASICs with dynamic thresholds (Choudhury and Hahne, "Dynamic queue length
// thresholds for shared-memory packet switches", IEEE/ACM ToN 6(2), 1998): the bytes of an ingress
// queue above its reserve come from the shared pool as long as they stay below alpha times the free
// part of the pool. Above this threshold a lossless queue pauses its sender and uses its headroom,
// and a lossy queue drops.
//
// The package counts bytes. Who arrives, who is paused and who is dropped is package fabric's.
package buffer

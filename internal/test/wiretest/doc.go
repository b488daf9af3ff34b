// Package wiretest has recorded conversations of real RDMA endpoints, for tests: Linux's soft-RoCE
// (kernel 6.1) as captured by tcpdump and as read by tshark 4.0. The archive has a README that
// describes each conversation.
package wiretest

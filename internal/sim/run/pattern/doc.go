// Package pattern runs synthetic traffic on a network: messages between the hosts of
// NICs, each posted at its time, by RC, UC or UD. A pattern's messages depend on the
// seed alone, and its network can be cut into partitions that run side by side. Each NIC
// has a host, and messages go through the same host path as a collective's (package host).
package pattern

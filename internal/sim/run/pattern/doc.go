// Package pattern runs synthetic traffic on a network: messages between the hosts of NICs, each
// posted at its time, by RC, UC or UD. A pattern's messages depend on the seed alone, and its
// network can be divided into simulation partitions that run in parallel. Each NIC has a host, and
// messages use the same host path as in a collective (package host).
package pattern

// Package overrides has the flags that name a scenario's fabrics and change its fields, and reads a
// scenario with them.
//
// # Files
//
//   - load.go: the flags, and a scenario with them
//   - cluster.go: --cluster, a file or a preset of the catalog; completion of --fabric
//   - collectives.go: collectives by their names in nccl-tests
package overrides

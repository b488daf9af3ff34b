// Package live has the verbs for RDMA on a real network: live, verbs and emulate.
//
// # Files
//
//   - live.go, hosts.go, predict.go, table.go: collectives between processes, and their prediction
//   - perf.go, perftable.go, device.go: measurements, and the device that they open
//   - sniff.go, sniffjson.go, snifftext.go, sniffdocument.go: captures
//   - verbs.go, verbsserve.go, emulate.go: programs on weft's verbs, and a scenario's fabric under them
package live

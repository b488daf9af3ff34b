// Package scenario is the user's YAML file, which states the machines, the fabrics and the
// workload; its strict decoding with a place for every error; the defaults; and Resolved,
// the same scenario with every number present, the simulator's only input.
//
// A preset (a node, a NIC, a fabric) is an entry of internal/sim/catalog. Its facts fill the
// same types, field by field, before the user's values do. Values that neither states are
// derived, each rule with its reason; then fields are checked against each other.
//
// A resolver reads the values. Rules derive and check, each duty in a type of its own: the
// cluster, a fabric and its parts (subnet of InfiniBand, Ethernet, transport, topology, streams
// beside the workload), the workload, faults, zones of isolation, tuning. They share the places
// of fields, which every error names.
//
// # Files
//
//   - resolved.go, fabricfields.go, faultfields.go, nccl.go, trainingfields.go, workloadfields.go:
//     the fields of a scenario, as types
//   - enums.go, ratio.go, pkey.go, qkey.go: the types of values that are texts
//   - file.go, yaml.go, decode.go, sweep.go, kind.go, limits.go: from a file to a tree of
//     nodes to values; bounds on what is read
//   - build.go: the same from a value of Go
//   - document.go: other files of weft, read by the same rules: requests, organisations, prices
//   - errors.go: errors with their places
//   - overlay.go, blame.go, consequences.go, idle.go: files and --set laid over a file; which override
//     an error comes from; errors that follow from others
//   - resolve.go, places.go, rules.go: presets and defaults; the places of fields; the types of the
//     rules
//   - cluster.go, fabric.go, infiniband.go, ethernet.go, topology.go, workload.go: the rules of one
//     section each: values that neither the file nor a preset gives, and checks
//   - encode.go, trainingtext.go: a resolved scenario as YAML
//   - cc.go, qos.go, qosconf.go, qospolicy.go, partitions.go, isolation.go, faults.go,
//     retransmission.go, ordering.go, scaleup.go, slowlinks.go, linkrate.go, streams.go, topologylinks.go,
//     training.go, tune.go, tunecheck.go, axis.go, ultraethernet.go, verbs.go, watchdog.go: one
//     part of a scenario each: its derivation and its checks
//   - namedfile.go, sonic.go: files that a scenario names; a SONiC configuration as a switch's
//     settings
//   - memory.go: the estimate of a simulation's size
//   - names.go: patterns of names, such as node[0-3]/nic0
package scenario

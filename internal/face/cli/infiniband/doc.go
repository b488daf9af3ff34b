// Package infiniband has the verbs of InfiniBand's management: fabric, sm and ibsim. None simulates
// packets.
//
// # Files
//
//   - fabric.go and the files whose names begin with fabric, guidlist.go, subnetfile.go: weft fabric,
//     and the subnets that verbs read
//   - sm.go: weft sm, with a file for each sub-verb: bringup.go, check.go, conf.go, diff.go, route.go,
//     run.go; they share read.go, tables.go, matrix.go, extras.go, and config.go, defaults.go,
//     engine.go, policy.go, the settings of a manager
//   - ibsim.go: weft ibsim
package infiniband

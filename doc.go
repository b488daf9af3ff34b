// Package weft simulates the network of an AI training cluster, packet by packet:
// InfiniBand, RoCE v2, Ultra Ethernet, iWARP and TCP side by side.
//
// # A simulation
//
// A scenario (package [weft/scenario]) says which machines, which fabrics and which workload.
// It comes from a file ([scenario.Load]), from text ([scenario.Decode]) or from a value of Go
// ([scenario.New]). All three give a [scenario.File]. Its method Resolve lays overrides
// ([scenario.Set]) over the file and gives a [scenario.Resolved]: the scenario with every number
// present. [Run] simulates it and gives results (package [weft/results]). For a collective
// operation on a cluster, [Collective] is all of this in two lines. [Many] simulates many scenarios,
// several at the same time. [Variants] returns the scenarios of a file's sweep section for it.
//
// The command weft runs a scenario by [Run] too; its studies are given that function.
//
// # Scenarios in Go
//
// A zero field takes the value of its preset or the default, like a field that a file does
// not mention. To set a field to zero or false, use an override:
//
//	file.Resolve(scenario.Set("fabrics[0].switch.latency", units.Time(0), "no latency"))
//
// The path of a field is its name in a scenario file; docs/SCENARIO.md has all of them. A choice
// is a text; go doc weft/scenario.FabricKind lists its values.
//
// # Units
//
// Quantities are integers: picoseconds ([weft/units.Time]), bytes ([weft/units.Bytes]), bits
// per second ([weft/units.Rate]), millimetres ([weft/units.Length]). A [scenario.Ratio] is an exact
// fraction. AlgBW, BusBW and other bandwidths of results are floats in GB/s of 10⁹ bytes.
//
// # Errors
//
// A scenario with mistakes gives a [scenario.Errors]. Each [scenario.Error] has its file, line and column, or
// the override that caused it, the path of the field, and the valid values. Run joins the
// reasons of failed simulations, and still gives the results of the others.
//
// # Stability
//
// From version 1.0 on the names and the meaning of packages weft, scenario, results, units, wire
// and verbs follow semantic versioning, but for methods whose types stand below internal. A minor
// version may add fields, choices and presets: write the names of fields in literals. One version
// of weft gives byte-identical results for one scenario and seed, on any machine and with any
// number of cores. Another version may give other results.
package weft

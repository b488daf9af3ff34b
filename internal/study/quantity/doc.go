// Package quantity is the list of what weft measures of a run, each quantity once: its name in
// files, its heading in tables for people, its unit, its meaning, and how it is read from a result.
// A table, a column of CSV or Parquet, and a plot take their columns from here, so that a quantity
// has one name and one form everywhere.
//
// Names end with their unit: ps, gbytes_per_s (10⁹ bytes a second), per_s. Counts and shares have
// none.
//
// # Files
//
//   - quantity.go: what a quantity is
//   - points.go: quantities of a workload's message size on a fabric
//   - serving.go: quantities of a serving job at a rate
package quantity

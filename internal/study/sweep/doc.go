// Package sweep runs the variants of a scenario, as many as its axes have, and keeps a table with a row
// for each.
//
// # Model
//
// A variant is a value of each axis, a fabric, a size and a seed: one simulation. Variants are
// numbered from 0. Of all combinations the last axis changes first, then fabric, size and seed change
// within a point; drawn points keep the order of the draw. Conditions leave combinations out before
// they are numbered.
//
// # Invariants
//
// A row depends on the sweep's file, the flags and the version of weft alone. So the table is the same for
// any number of cores, processes and interruptions; host and time are in a table of their own.
//
// # Units
//
// A column's name ends with its unit: ps, bytes, bps, mm, gbytes_per_s (10⁹ bytes a second). Other numbers are
// counts and ratios.
//
// # Limits
//
// Sobol's sequence is not offered: gonum has none. Halton's, scrambled as Owen 2017, is the low-discrepancy
// sequence here. A simulation takes one core, so the last variants of a sweep leave cores idle.
package sweep

// Package measured holds published tables of collectives: what nccl-tests or PyTorch measured on a
// cluster, with its source, and weft's own time beside each row.
//
// # Files
//
// clusters.csv describes the clusters, rows.csv has their rows. predicted.csv has weft's times: the
// test of package validate compares them, and rewrites them with -update -full. [Read] refuses a table
// with wrong columns, without a source, or with a bandwidth that no hardware has.
//
// # Score
//
// A row counts if the cluster is healthy and the time is not the launch's: see [Cluster.Scores].
// A row is fitted if a constant of the models was taken from it: its error is shown and not scored.
package measured

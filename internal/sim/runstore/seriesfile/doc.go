// Package seriesfile writes the series of a run as Parquet files, and reads them. docs/UI.md describes
// the files and their columns; the types of their rows are package runstore's.
//
// A file is written row group by row group while simulations end, so that a run holds the series of the
// simulations that run, and not of all. A file without its footer, as a killed process leaves it, is no
// Parquet file to any reader.
package seriesfile

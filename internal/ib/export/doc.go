// Package export writes files of other programs that describe a fabric: Slurm's
// topology.conf, OpenSM's root_guid_file, and Graphviz.
package export

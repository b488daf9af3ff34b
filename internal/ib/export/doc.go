// Package export writes what others need to know of a fabric: Slurm's
// topology.conf, the root_guid_file of OpenSM, and Graphviz.
package export

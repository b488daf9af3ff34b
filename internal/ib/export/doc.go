// Package export writes what others need to know of a fabric: Slurm's
// topology.conf, the root_guid_file of OpenSM, Graphviz, and a drawing.
package export

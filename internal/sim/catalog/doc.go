// Package catalog is what weft knows of hardware and protocols: GPUs, NICs,
// switches, link generations, cables, nodes, fabrics, vendors, and the defaults
// of a scenario.
//
// The knowledge is data: one CSV file per kind under data/, one row per fact
// with its own source and a tag that says how far to trust it (V read at the
// source, S secondary, D derived from facts, R recalled and not retrieved,
// assumption where nothing was found). Rows are paths and values as a scenario
// writes them, so that a preset is laid under what a user wrote field by field
// and nothing is converted on the way. Where sources disagree the source says
// CONFLICT and names both.
//
// A value such as "5Mbps per 25Gbps" grows with the rate of the fabric's link.
// Fields that begin with "about." are for reading and derivation, no part of a
// scenario. A value "unknown" is a figure that was looked for and not found.
// Cables and vendors are no part of a scenario either: they are for bills of
// materials and for choosing.
package catalog

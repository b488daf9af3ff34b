// Package catalog holds weft's facts about hardware and protocols: GPUs, NICs, switches, link
// generations, cables, nodes, fabrics, vendors, and the defaults of a scenario.
//
// The knowledge is data: one CSV file per kind under data/, one row per fact with its own source
// and a tag for its confidence (V read at the source, S secondary, D derived from facts, R recalled
// and not retrieved, assumption where nothing was found). Rows are paths and values in the form of
// a scenario, so a preset gives the missing fields of a user's scenario without conversion. If
// sources disagree, the source says CONFLICT and names both.
//
// A value such as "5Mbps per 25Gbps" grows with the rate of the fabric's link. Fields that begin
// with "about." are for readers and for derivations; they are not part of a scenario. A value
// "unknown" is a figure that was looked for and not found. Cables and vendors are not part of a
// scenario either: bills of materials and choices use them.
package catalog

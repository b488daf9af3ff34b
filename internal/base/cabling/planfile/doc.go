// Package planfile reads files that say how a fabric is cabled, on Ethernet and on InfiniBand, as a
// cabling.Fabric.
//
// Plans: Graphviz dot as PTM and NVIDIA Air write it (dot.go), Air's JSON (air.go), containerlab (containerlab.go),
// Batfish's layer 1 JSON (batfish.go), tables of cables as CSV (csv.go): plain ones, SONiC's lab links, Arista's AVD,
// UFM's NDT and its list of ports, NetBox' export (netbox.go). UFM's REST answers are in ufm.go.
//
// What switches see: LLDP neighbours (lldptext.go, lldpjson.go) and SONiC's config_db.json and minigraph.xml. Each
// such file is a view of one switch. The views of a folder are joined (join.go): both ends of a cable become
// one cable, and ends that contradict each other are left out with a note.
//
// The content of a file decides its format. A table is read by the names of its columns, not by their places. What
// cannot be a cable is a note with its place; a file without any cable is an error.
//
// Left out: what is configured on a port. A role that no file says is concluded (roles.go), and a note says how.
package planfile

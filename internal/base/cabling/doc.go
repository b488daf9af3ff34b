// Package cabling is a fabric as it is cabled: its devices and the cables between their ports, whatever file or
// tool named them, on InfiniBand and on Ethernet.
//
// A reader makes a Fabric from a file: a cabling plan, the neighbours that switches see, an InfiniBand subnet. What
// asks about a fabric (the simulator, a comparison of a plan with what is cabled) sees a Fabric alone.
//
// A device is identified by its GUID if it has one, else by its name. A name is text of a site: several devices can
// have one name, and tools differ in upper and lower case.
package cabling

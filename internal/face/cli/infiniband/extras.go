package infiniband

import (
	"fmt"
	"io"

	"weft/internal/face/cli/exit"
	"weft/internal/ib/format"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/units"
)

// The names of optional output files of weft sm route.
const (
	adaptiveFile  = "adaptive-groups.txt"
	multicastFile = "opensm.mcfdbs"
)

// broadcastLID is the multicast LID that OpenSM gives to the first group, IPoIB's broadcast
// group.
const broadcastLID units.LID = 0xc000

// outFile is a file and the function that writes it.
type outFile struct {
	name  string
	write func(io.Writer) error
}

// extras are the requested files.
func (r *routing) extras(s *subnet.Subnet, res *route.Result) ([]outFile, error) {
	var files []outFile
	if r.adaptive {
		a, err := route.AdaptiveGroups(s)
		if err != nil {
			return nil, err
		}
		files = append(files, outFile{adaptiveFile, func(w io.Writer) error {
			_, err := a.WriteTo(w)
			return err
		}})
	}
	if r.broadcast {
		all := route.Group{MLID: broadcastLID}
		for lid, end := range s.Owners() {
			if end.Exists() && s.Nodes[end.Node].Kind == subnet.Adapter && int(s.Port(end).LID) == lid {
				all.Members = append(all.Members, end)
			}
		}
		if err := route.Multicast(s, res.Tables, []route.Group{all}); err != nil {
			return nil, exit.Errorf(exit.Failed, "%w", fmt.Errorf("no tree for the broadcast group: %w", err))
		}
		files = append(files, outFile{multicastFile, func(w io.Writer) error { return format.WriteMFTs(w, s, res.MFT) }})
	}
	return files, nil
}

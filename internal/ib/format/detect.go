package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"weft/internal/ib/subnet"
)

// Format is a file format, by its name on the command line.
type Format string

// The formats that are read and written.
const (
	Topo      Format = "ibnetdiscover" // ibnetdiscover, and ibsim's nets
	PortList  Format = "ports"         // ibnetdiscover -p
	LinkInfo  Format = "iblinkinfo"    // iblinkinfo -l
	SubnetLST Format = "subnet.lst"    // opensm-subnet.lst
	LFTDump   Format = "lfts"          // opensm-lfts.dump, dump_fts, ibroute
	FDBs      Format = "fdbs"          // opensm.fdbs
	LIDMatrix Format = "lid-matrix"    // opensm-lid-matrix.dump
	GUID2LID  Format = "guid2lid"      // guid2lid
	SL2VLDump Format = "sl2vl"         // opensm-sl2vl.dump, smpquery sl2vl, ibdmchk -d
	MCFDBs    Format = "mcfdbs"        // opensm.mcfdbs
	Unknown   Format = ""
)

// marks is the line prefixes that identify a format. The first line with such a prefix decides.
var marks = []struct {
	begin  string
	format Format
}{
	{"Unicast lids [", LFTDump},
	{"Multicast mlids [", MCFDBs},
	{"dump_ucast_routes: Switch 0x", FDBs},
	{"Switch: guid 0x", LIDMatrix},
	{"Switch: 0x", LinkInfo},
	{"CA: ", LinkInfo},
	{"Router: ", LinkInfo},
	{"CA ", PortList},
	{"SW ", PortList},
	{"RT ", PortList},
	{"DR path ", PortList},
	{"{ SW", SubnetLST},
	{"{ CA", SubnetLST},
	{"{ RT", SubnetLST},
	{"{ Rt", SubnetLST},
	{"Channel Adapter 0x", SL2VLDump},
	{slQueryHead, SL2VLDump},
	{"# Topology file: generated", Topo},
	{"vendid=", Topo},
	{"devid=", Topo},
	{"sysimgguid=", Topo},
	{"switchguid", Topo},
	{"caguid", Topo},
	{"hcaguid", Topo},
	{"rtguid", Topo},
	{"module=", Topo},
	{"module =", Topo},
	{`include "`, Topo},
	{"Hca", Topo},
	{"Ca\t", Topo},
	{"Ca ", Topo},
	{"Rt\t", Topo},
	{"Rt ", Topo},
}

// Detect finds the format of a file from its first lines.
func Detect(head []byte) Format {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	for len(head) > 0 {
		var raw []byte
		raw, head, _ = bytes.Cut(head, []byte("\n"))
		line := strings.TrimRight(string(raw), "\r")
		if f := detectLine(line); f != Unknown {
			return f
		}
	}
	return Unknown
}

func detectLine(line string) Format {
	for _, m := range marks {
		if strings.HasPrefix(line, m.begin) {
			return m.format
		}
	}
	switch {
	case strings.HasPrefix(line, "Switch 0x") && strings.Contains(line, ", base LID "):
		return SL2VLDump
	case strings.HasPrefix(line, "Switch 0x"):
		return MCFDBs
	case strings.HasPrefix(line, "Switch"):
		return Topo
	case strings.Contains(line, "==(") && strings.Contains(line, ")==>"):
		return LinkInfo
	}
	if isSLVLRow(line) {
		return SL2VLDump
	}
	if _, ok := lidRange(line); ok {
		return GUID2LID
	}
	return Unknown
}

// ReadSubnet reads a file that describes a subnet, in any known format.
func ReadSubnet(name string, r io.Reader, opt Options) (*subnet.Subnet, Format, *Report, error) {
	in := bufio.NewReaderSize(r, maxLine)
	head, err := in.Peek(maxLine)
	if len(head) == 0 && err != nil {
		text := "the file is empty"
		if !errors.Is(err, io.EOF) {
			text = fmt.Sprintf("cannot be read: %v", err)
		}
		return nil, Unknown, &Report{}, &Errors{List: []Problem{{File: name, Text: text + ": expected the output of ibnetdiscover, iblinkinfo or opensm, or a net of ibsim"}}}
	}
	format := Detect(head)
	read := ReadTopo
	switch format {
	case PortList:
		read = readPortList
	case LinkInfo:
		read = readLinkInfo
	case SubnetLST:
		read = readSubnetList
	case Topo:
	case Unknown:
		return nil, format, &Report{}, &Errors{List: []Problem{{File: name, Text: "not in a known format: expected the output of ibnetdiscover, ibnetdiscover -p or iblinkinfo, opensm-subnet.lst, or a net of ibsim"}}}
	default:
		return nil, format, &Report{}, &Errors{List: []Problem{{File: name, Text: fmt.Sprintf("holds %s, the tables of a subnet, not the subnet itself: expected the output of ibnetdiscover, ibnetdiscover -p or iblinkinfo, opensm-subnet.lst, or a net of ibsim", format)}}}
	}
	s, report, err := read(name, in, opt)
	return s, format, report, err
}

// ReadTables reads a file with the forwarding tables of a subnet: a dump of
// OpenSM in either form, or the output of dump_fts or ibroute.
func ReadTables(name string, r io.Reader, s *subnet.Subnet) (*LFTs, Format, *Report, error) {
	in := bufio.NewReaderSize(r, maxLine)
	head, _ := in.Peek(maxLine) // a read error is reported below
	format := Detect(head)
	read := ReadLFTs
	if format == FDBs {
		read = readFDBs
	}
	t, report, err := read(name, in, s)
	return t, format, report, err
}

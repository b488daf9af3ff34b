package scenario

import (
	"encoding/hex"
	"fmt"
)

// PortRow is the forwarding table of a switch: for each NIC, two hexadecimal digits with the port, ff for none.
type PortRow string

func parsePortRow(text string) (PortRow, error) {
	if _, err := hex.DecodeString(text); err != nil {
		return "", fmt.Errorf("%q is no row of ports: want two hexadecimal digits for each NIC", abridged(text))
	}
	return PortRow(text), nil
}

// Ports are the ports by NIC. A checked scenario has no errors.
func (r PortRow) Ports() []byte {
	ports, _ := hex.DecodeString(string(r))
	return ports
}

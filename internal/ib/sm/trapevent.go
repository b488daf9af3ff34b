package sm

import (
	"fmt"

	"weft/units"
	"weft/wire/mad"
)

// trapText is a trap in words. Traps about keys name the sender, the receiver and the key.
func trapText(n *mad.Notice) string {
	text := fmt.Sprintf("trap %d from LID %d", n.Number, n.IssuerLID)
	if !n.Generic {
		return text
	}
	switch n.Number {
	case mad.TrapBadPKey, mad.TrapBadQKey:
		var k mad.KeyNotice
		n.GetData(&k)
		name := "P_Key"
		if n.Number == mad.TrapBadQKey {
			name = "Q_Key"
		}
		return text + fmt.Sprintf(": bad %s %#x from LID %d QP %d to LID %d QP %d on SL %d", name, k.Key, k.LID1, k.QP1, k.LID2, k.QP2, k.SL)
	case mad.TrapSwitchPKey:
		var k mad.SwitchKeyNotice
		n.GetData(&k)
		return text + fmt.Sprintf(": bad P_Key %#x from LID %d QP %d to LID %d QP %d on SL %d at port %d of LID %d", uint16(k.PKey), k.LID1, k.QP1, k.LID2, k.QP2, k.SL, k.Port, k.SwitchLID)
	case mad.TrapBadMKey:
		var k mad.MKeyNotice
		n.GetData(&k)
		from := "a directed route"
		if k.DrSLID != units.PermissiveLID {
			from = fmt.Sprintf("LID %d", k.DrSLID)
		}
		return text + fmt.Sprintf(": a request for %s by %s had a wrong M_Key", attrName(k.Attribute), from)
	default:
		return text
	}
}

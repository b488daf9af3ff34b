package sm

import (
	"fmt"

	"weft/units"
	"weft/wire/mad"
)

// EventKind is the kind of an [Event].
type EventKind uint8

// The kinds of event.
const (
	SubnetUp       EventKind = iota // all ports that were found are active, with all settings; Count nodes
	SubnetNotUp                     // a sweep ended, and requests were refused or not answered; Count nodes are managed
	Entered                         // the manager is now in State
	Unanswered                      // a request was given up: Attr of a port
	Refused                         // a request was answered with Status: Attr of a port
	NotTaken                        // after a write, Attr of a port is not what was written
	Protected                       // a port does not answer because of another M_Key
	Unprotected                     // a port did not take the M_Key
	TooManyKeys                     // a P_Key table has room for Count of Need keys: the others are left out
	DuplicateGUID                   // the node at Path has the GUID of another node
	NotRouted                       // the router failed: Err
	NotAssigned                     // too few LIDs: Err
	TrapReceived                    // Trap from LID
	TooLarge                        // more nodes or hops than one subnet has, at Path
	HandedOver                      // mastery went to GUID
	MasterLost                      // the master does not answer any more
	TooFewLanes                     // routing needs Need lanes, the port at the end of Path has Count: packets can deadlock
	FellBack                        // the router used another engine or other tables than configured: Text says why
	RoutedAsAsked                   // the router uses the configured engine again
	LIDNotKept                      // port GUID had LID, which belongs to another port or is out of range; its LID is Now
	LevelsNotTaken                  // routing gives levels to paths, on Need lanes, so the site's Text has no effect
	LaneNotServed                   // the site's arbitration of a port has no weight for lane Need, which routing uses
)

var eventNames = [...]string{
	"subnet up", "subnet not up", "entered", "unanswered", "refused", "not taken", "protected", "unprotected", "too many keys", "duplicate GUID", "not routed", "not assigned",
	"trap", "too large", "handed over", "master lost", "too few lanes",
	"fell back", "routed as asked", "LID not kept",
	"levels not taken", "lane not served",
}

// String is the kind in words.
func (k EventKind) String() string { return eventNames[k] }

// Event is a message of the manager to its operator.
type Event struct {
	Kind   EventKind
	State  mad.SMState
	GUID   units.GUID
	Node   string  // description of the node of a port; empty for an unmet node
	Port   uint8   // of the node
	Path   []uint8 // a directed route from the manager to the node
	Attr   mad.Attribute
	Status mad.Status
	Trap   mad.TrapNumber
	Notice mad.Notice // of TrapReceived
	LID    units.LID
	Now    units.LID // of LIDNotKept
	Count  int
	Need   int
	Took   units.Time // of SubnetUp: since the sweep began
	Err    error
	Text   string // of FellBack and LevelsNotTaken
}

// Fault reports whether the event is a reason why a subnet is not up.
func (e Event) Fault() bool {
	switch e.Kind {
	case Unanswered, Refused, NotTaken, Protected, DuplicateGUID, NotRouted, NotAssigned, TooLarge:
		return true
	}
	return false
}

// String is a line for a log.
func (e Event) String() string {
	switch e.Kind {
	case SubnetUp:
		return fmt.Sprintf("subnet up: %d nodes", e.Count)
	case SubnetNotUp:
		return fmt.Sprintf("subnet not up: %d nodes are managed, but requests were refused or not answered", e.Count)
	case Entered:
		return fmt.Sprintf("entered %v", e.State)
	case Unanswered:
		return fmt.Sprintf("unanswered: %s of %s%s", attrName(e.Attr), e.place(), e.silence())
	case Refused:
		return fmt.Sprintf("refused with status %#04x: %s of %s", uint16(e.Status), attrName(e.Attr), e.place())
	case NotTaken:
		return fmt.Sprintf("not taken: %s of %s differs from what was written", attrName(e.Attr), e.place())
	case Protected:
		return fmt.Sprintf("%s is protected by another M_Key than this manager's", e.place())
	case Unprotected:
		return fmt.Sprintf("%s did not take the M_Key: it is not protected", e.place())
	case TooManyKeys:
		return fmt.Sprintf("%s has room for %d P_Keys and needs %d: the last %d are left out", e.place(), e.Count, e.Need, e.Need-e.Count)
	case DuplicateGUID:
		return fmt.Sprintf("duplicate GUID %v at %s: the node there is not managed", e.GUID, pathText(e.Path))
	case TooFewLanes:
		return fmt.Sprintf("routing needs %d lanes and the port at %s has %d: the fabric can deadlock", e.Need, pathText(e.Path), e.Count)
	case LevelsNotTaken:
		return fmt.Sprintf("without effect: %s, because routing gives levels to paths against deadlock (lanes: %d); "+
			"an engine that needs one lane leaves them to the site", e.Text, e.Need)
	case LaneNotServed:
		return fmt.Sprintf("%s has no weight for lane %d (qos_vlarb_low, qos_vlarb_high), on which routing puts paths: their packets are not sent", e.place(), e.Need)
	case FellBack:
		return "routing falls back: " + e.Text
	case RoutedAsAsked:
		return "routed as asked again"
	case LIDNotKept:
		return fmt.Sprintf("port %v could not keep LID %d, which belongs to another port or is invalid: its LID is now %d", e.GUID, e.LID, e.Now)
	case TrapReceived:
		return trapText(&e.Notice)
	case TooLarge:
		return fmt.Sprintf("too many nodes or hops for one subnet, at %s: not managed", pathText(e.Path))
	case HandedOver:
		return fmt.Sprintf("handed mastery over to %v", e.GUID)
	case MasterLost:
		return fmt.Sprintf("the master %v does not answer", e.GUID)
	}
	return fmt.Sprintf("%v: %v", e.Kind, e.Err)
}

// place is the port of an event, in words.
func (e *Event) place() string {
	switch {
	case e.Node == "" && e.LID != 0:
		return fmt.Sprintf("the port of LID %d", e.LID)
	case e.Node == "":
		return "the port at " + pathText(e.Path)
	}
	return fmt.Sprintf("%q port %d at %s", e.Node, e.Port, pathText(e.Path))
}

// silence is a possible reason why a node has never answered.
func (e *Event) silence() string {
	switch {
	case e.Node != "" || e.Attr != mad.AttrNodeInfo:
		return ""
	case len(e.Path) == 0:
		return ", the manager's own: another M_Key of protection level 2 or 3 may forbid an answer"
	}
	return ": its link is up; the node hangs, or another M_Key of protection level 2 or 3 forbids an answer"
}

// attrName is an attribute of subnet management by the specification's name.
func attrName(attr mad.Attribute) string {
	switch attr {
	case mad.AttrNodeDescription:
		return "NodeDescription"
	case mad.AttrNodeInfo:
		return "NodeInfo"
	case mad.AttrSwitchInfo:
		return "SwitchInfo"
	case mad.AttrPortInfo:
		return "PortInfo"
	case mad.AttrPKeyTable:
		return "P_KeyTable"
	case mad.AttrSLToVL:
		return "SLtoVLMappingTable"
	case mad.AttrVLArb:
		return "VLArbitrationTable"
	case mad.AttrLinearFDB:
		return "LinearForwardingTable"
	case mad.AttrMulticastFDB:
		return "MulticastForwardingTable"
	case mad.AttrSMInfo:
		return "SMInfo"
	}
	return fmt.Sprintf("attribute %#04x", uint16(attr))
}

// pathText writes a directed route as infiniband-diags does: 0,1,5.
func pathText(path []uint8) string {
	text := "0"
	for _, port := range path {
		text += fmt.Sprintf(",%d", port)
	}
	return text
}

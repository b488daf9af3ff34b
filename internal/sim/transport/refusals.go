package transport

// Refusals are the requests that responders did not take although the network
// brought them.
type Refusals struct {
	// RNRNAKs is how often a message of RC found no receive: it comes again.
	RNRNAKs int64
	// NoReceive is UC's and UD's messages that were lost for want of a receive.
	NoReceive int64
	// OutOfTurn is UC's packets of messages of which another packet is missing,
	// or that an earlier one has overtaken.
	OutOfTurn int64
	// QKey is UD's datagrams that carried another Q_Key than their queue pair's.
	QKey int64
}

package reduction

// Tree is the switches of one tree, in any order.
type Tree []TreeSwitch

// TreeSwitch is one switch of a tree.
type TreeSwitch struct {
	Switch   int32   // node
	Parent   int32   // its port towards the root, from 0; -1 at the root
	Children []int32 // its ports towards NICs and switches below
}

// Switches are the switches of a tree by node.
type Switches map[int32]*TreeSwitch

// Switches are the tree's switches by node.
func (t Tree) Switches() Switches {
	all := make(Switches, len(t))
	for i := range t {
		all[t[i].Switch] = &t[i]
	}
	return all
}

// Package kubernetes writes Indexed Jobs of Kubernetes whose pods share work through a folder, as package ledger has
// it.
//
// # Model
//
// A manifest is a ConfigMap with the files of the work, a claim of a volume that all pods share, and the Job. Each
// index runs the same command, with a name of its own in WEFT_WORKER and its place in WEFT_ELEMENT. The pod that
// replaces a failed one has the same name, so it takes over what the one before held; the Job makes it only when the
// one before has ended. A pod that makes room for another is no failure of its index.
//
// Pods fulfil the Pod Security Standard "restricted": no root, no privileges, a root file system that is only read.
//
// # Limits
//
// The volume is written by pods on several nodes: its class must offer ReadWriteMany. Kubernetes 1.29 or later:
// before, an index has no bound of failures of its own.
package kubernetes

package process

import "regexp"

// imageTag is what no tag of an image has.
var imageTag = regexp.MustCompile(`[^-._a-zA-Z0-9]`)

// Image is the name of the image that has this version: what .ci/release builds, and what a sweep's pods run unless
// --image says otherwise.
func (v Version) Image() string { return "weft:" + imageTag.ReplaceAllString(v.Weft, "-") }

module weft

go 1.26

require pgregory.net/rapid v1.3.0

require github.com/goccy/go-yaml v1.19.2 // indirect

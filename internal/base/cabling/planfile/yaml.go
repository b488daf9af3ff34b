package planfile

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// parseYAML makes values of the first document of a YAML file.
func parseYAML(file, text string) (*value, error) {
	var docs []yaml.Node
	depth := loaderlimits.DepthFunc(func(depth int, _ *loaderlimits.DepthContext) error {
		if depth > maxDepth {
			return fmt.Errorf("nested more than %d deep", maxDepth)
		}
		return nil
	})
	if err := yaml.Load([]byte(text), &docs, yaml.WithAllDocuments(), yaml.WithPlugin(loaderlimits.New(depth))); err != nil {
		if before, _, ok := strings.Cut(text, "{{"); ok {
			return nil, problem(file, 1+strings.Count(before, "\n"), "this is a template ({{ … }}), not the topology: let the template be filled in first (%v)", err)
		}
		line := 0
		if e, ok := errors.AsType[*yaml.LoadError](err); ok {
			line = e.Mark.Line
			err = errors.New(e.Message)
		}
		return nil, problem(file, line, "this is not YAML: %v", err)
	}
	if len(docs) == 0 || len(docs[0].Content) == 0 {
		return nil, problem(file, 0, "the file has no value: expected %s", Known)
	}
	left := maxValues
	return fromYAML(file, docs[0].Content[0], &left, 0)
}

// fromYAML converts a node. What an alias repeats counts again.
func fromYAML(file string, n *yaml.Node, left *int, depth int) (*value, error) {
	if *left--; *left < 0 || depth > maxDepth {
		return nil, problem(file, n.Line, "more than %d values, or nested more than %d deep", maxValues, maxDepth)
	}
	v := &value{line: n.Line}
	switch n.Kind {
	case yaml.AliasNode:
		return fromYAML(file, n.Alias, left, depth+1)
	case yaml.MappingNode:
		v.kind = object
	case yaml.SequenceNode:
		v.kind = list
	default:
		if n.Tag != "!!null" {
			v.text = n.Value
		}
		return v, nil
	}
	for i, c := range n.Content {
		if v.kind == object && i%2 == 0 {
			v.names = append(v.names, c.Value)
			continue
		}
		item, err := fromYAML(file, c, left, depth+1)
		if err != nil {
			return nil, err
		}
		v.items = append(v.items, *item)
	}
	return v, nil
}

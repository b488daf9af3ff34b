package runs

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v4"
)

// yamlToJSON prints a YAML document as JSON on one line, with its fields in order.
func yamlToJSON(text []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err := writeJSON(&b, doc.Content[0])
	return append(b.Bytes(), '\n'), err
}

func writeJSON(b *bytes.Buffer, n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		var value any
		if err := n.Decode(&value); err != nil {
			return err
		}
		to := json.NewEncoder(b)
		to.SetEscapeHTML(false)
		err := to.Encode(value)
		b.Truncate(b.Len() - 1) // Encode ends with a line end
		return err
	}
	begin, end := byte('['), byte(']')
	if n.Kind == yaml.MappingNode {
		begin, end = '{', '}'
	}
	b.WriteByte(begin)
	for i, item := range n.Content {
		switch {
		case i == 0:
		case begin == '{' && i%2 == 1:
			b.WriteString(": ")
		default:
			b.WriteString(", ")
		}
		if err := writeJSON(b, item); err != nil {
			return err
		}
	}
	b.WriteByte(end)
	return nil
}

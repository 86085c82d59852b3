package main

import (
	"reflect"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/hook"
)

// fieldNames returns the JSON names of an input's fields.
func fieldNames(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			out = append(out, fieldNames(f.Type)...)
			continue
		}
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
			out = append(out, name)
		}
	}
	return out
}

func hasField(in hook.Input, key string) bool {
	return slices.Contains(fieldNames(in.Event().Spec().Type()), key)
}

// textField reports whether a field holds a text.
func textField(in hook.Input, key string) bool {
	t := in.Event().Spec().Type()
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == key {
			return f.Type.Kind() == reflect.String
		}
	}
	return false
}

package ui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// themeFile is a file with a theme, as pi has them.
type themeFile struct {
	Name   string                    `json:"name"`
	Vars   map[string]jsontext.Value `json:"vars"`
	Colors map[string]jsontext.Value `json:"colors"`
}

// maxThemeFile is more than a theme has, in bytes.
const maxThemeFile = 256 << 10

// ReadThemes reads the themes of a directory, sorted by name. Colours that a theme leaves
// open are those of the default one. A file that is not a theme is an error; the others are
// returned all the same.
func ReadThemes(dir string) ([]Theme, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("look for themes in %s: %w", dir, err)
	}
	var out []Theme
	var errs []error
	for _, file := range files {
		t, err := readTheme(file)
		if err != nil {
			errs = append(errs, fmt.Errorf("read the theme %s: %w", file, err))
			continue
		}
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b Theme) int { return strings.Compare(a.Name, b.Name) })
	return out, errors.Join(errs...)
}

func readTheme(path string) (Theme, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Theme{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxThemeFile {
		return Theme{}, errors.New("it is not a theme file")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Theme{}, err
	}
	var f themeFile
	if err := json.Unmarshal(text, &f); err != nil {
		return Theme{}, err
	}
	if f.Name == "" {
		return Theme{}, errors.New("it has no name")
	}
	t := DefaultTheme()
	t.Name = f.Name
	for name, v := range f.Colors {
		code, err := f.code(v, strings.HasSuffix(name, "Bg"))
		if err != nil {
			return Theme{}, fmt.Errorf("the colour %s: %w", name, err)
		}
		t.Styles[name] = code
	}
	return t, nil
}

var hexColour = lazyregexp.New(`^#([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})$`)

// code is the SGR parameter string of a colour: #rrggbb, a number of the 256, the name of a
// variable, or "" for that of the terminal.
func (f *themeFile) code(v jsontext.Value, background bool) (string, error) {
	kind, plain := "38", "39"
	if background {
		kind, plain = "48", "49"
	}
	for range len(f.Vars) + 1 { // a variable may name another one
		var n int
		if v.Kind() == '0' {
			if err := json.Unmarshal(v, &n); err != nil || n < 0 || n > 255 {
				return "", fmt.Errorf("%s is not a number from 0 to 255", v)
			}
			return kind + ";5;" + strconv.Itoa(n), nil
		}
		var s string
		if err := json.Unmarshal(v, &s); err != nil {
			return "", fmt.Errorf("%s is neither a text nor a number", v)
		}
		if s == "" {
			return plain, nil
		}
		if m := hexColour.Get().FindStringSubmatch(s); m != nil {
			parts := make([]string, 0, 3)
			for _, h := range m[1:] {
				b, err := strconv.ParseUint(h, 16, 8)
				if err != nil {
					return "", err
				}
				parts = append(parts, strconv.FormatUint(b, 10))
			}
			return kind + ";2;" + strings.Join(parts, ";"), nil
		}
		next, ok := f.Vars[s]
		if !ok {
			return "", fmt.Errorf("%q is not #rrggbb, a number, or the name of a variable", s)
		}
		v = next
	}
	return "", errors.New("its variables name each other in a circle")
}

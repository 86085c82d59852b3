package permission

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// maxGitConfig bounds how much of a repository's settings is read, in bytes.
const maxGitConfig = 1 << 20

// gitSetting is one setting of git: section and key in small letters.
type gitSetting struct{ section, sub, key, value string }

func (s gitSetting) name() string {
	if s.sub != "" {
		return s.section + "." + s.sub + "." + s.key
	}
	return s.section + "." + s.key
}

var errGitConfig = errors.New("not the settings of a repository")

// readGitConfig reads a file of git's settings; one that isn't there has none.
func readGitConfig(file string) ([]gitSetting, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxGitConfig {
		return nil, errGitConfig
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseGitConfig(string(data))
}

// parseGitConfig reads git's settings. What git may read in another way than this
// does is an error.
func parseGitConfig(text string) ([]gitSetting, error) {
	p := configParser{rest: strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n")}
	var out []gitSetting
	var in gitSetting
	for {
		p.rest = strings.TrimLeft(p.rest, " \t\n\v\f\r")
		switch {
		case p.rest == "":
			return out, nil
		case p.rest[0] == '#' || p.rest[0] == ';':
			_, p.rest, _ = strings.Cut(p.rest, "\n")
		case p.rest[0] == '[':
			header, ok := p.header()
			if !ok {
				return nil, errGitConfig
			}
			in = sectionOf(header)
		default:
			s, ok := p.setting(in)
			if !ok {
				return nil, errGitConfig
			}
			out = append(out, s)
		}
	}
}

// configParser walks over git's settings.
type configParser struct{ rest string }

// header cuts off the header of a section, without its brackets.
func (p *configParser) header() (header string, ok bool) {
	quoted := false
	for i := 1; i < len(p.rest) && p.rest[i] != '\n'; i++ {
		switch c := p.rest[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			header, p.rest = p.rest[1:i], p.rest[i+1:]
			return header, true
		}
	}
	return "", false
}

func sectionOf(header string) gitSetting {
	name, sub, _ := strings.Cut(header, `"`)
	name = strings.TrimSpace(name)
	sub = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(strings.TrimSuffix(strings.TrimSpace(sub), `"`))
	if before, after, dotted := strings.Cut(name, "."); dotted && sub == "" {
		name, sub = before, after
	}
	return gitSetting{section: strings.ToLower(name), sub: sub}
}

// setting cuts off a key and its value; a key alone is true.
func (p *configParser) setting(s gitSetting) (gitSetting, bool) {
	end := strings.IndexFunc(p.rest, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if end < 0 {
		end = len(p.rest)
	}
	if end == 0 || s.section == "" {
		return s, false
	}
	s.key = strings.ToLower(p.rest[:end])
	p.rest = strings.TrimLeft(p.rest[end:], " \t")
	if p.rest == "" || p.rest[0] == '\n' {
		return s, true
	}
	if p.rest[0] != '=' {
		return s, false
	}
	p.rest = p.rest[1:]
	var ok bool
	s.value, ok = p.value()
	return s, ok
}

var configEscapes = map[byte]string{'n': "\n", 't': "\t", 'b': "\b", '"': `"`, '\\': `\`, '\n': ""}

// value cuts off the value of a key, to the end of the line that it ends in.
func (p *configParser) value() (string, bool) {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '\n':
			p.rest = p.rest[i:]
			return strings.TrimSpace(b.String()), !quoted
		case c == '\\':
			if i++; i == len(p.rest) {
				return "", false
			}
			text, known := configEscapes[p.rest[i]]
			if !known {
				return "", false
			}
			b.WriteString(text)
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '#' || c == ';'):
			_, p.rest, _ = strings.Cut(p.rest[i:], "\n")
			return strings.TrimSpace(b.String()), true
		default:
			b.WriteByte(c)
		}
	}
	p.rest = ""
	return strings.TrimSpace(b.String()), !quoted
}

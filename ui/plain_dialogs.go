package ui

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hookline-dev/hookline/ui/clean"
)

// maxTries is how often a Plain asks again after an answer that is none.
const maxTries = 3

// heading shows who asks and what. What a person decides on hides nothing.
func (p *Plain) heading(title string, d Dialog) string {
	th := p.Theme()
	who := ""
	if d.Source != "" {
		who = th.Style("muted", "["+clean.ExactLine(d.Source)+"]") + " "
	}
	return who + th.Style("bold", clean.PromptLine(title))
}

// Select offers numbered choices.
func (p *Plain) Select(ctx context.Context, title string, choices []string, d Dialog) (int, bool, error) {
	if len(choices) == 0 {
		return 0, false, errors.New("a selection without choices")
	}
	if err := p.lines.acquire(ctx); err != nil {
		return 0, false, err
	}
	defer p.lines.release()
	var b strings.Builder
	fmt.Fprintln(&b, p.heading(title, d))
	for i, c := range choices {
		mark := ' '
		if i == d.InitialIndex {
			mark = '*'
		}
		fmt.Fprintf(&b, "%c %d. %s\n", mark, i+1, clean.PromptLine(c))
	}
	p.printf("%s", b.String())
	prompt := fmt.Sprintf("Choose 1-%d, Enter for none: ", len(choices))
	for range maxTries {
		line, err := p.answer(ctx, prompt)
		if err != nil {
			return 0, false, err
		}
		line = strings.TrimSpace(line)
		if line == "" {
			return 0, false, nil
		}
		if i, ok := pick(line, choices); ok {
			return i, true, nil
		}
		p.printf("There is no single choice %q.\n", clean.PlainLine(line))
	}
	return 0, false, nil
}

// pick finds the choice with that number, that text, or that beginning.
func pick(line string, choices []string) (int, bool) {
	if n, err := strconv.Atoi(line); err == nil {
		return n - 1, n >= 1 && n <= len(choices)
	}
	found, count := 0, 0
	for i, c := range choices {
		if strings.EqualFold(c, line) {
			return i, true
		}
		if len(c) >= len(line) && strings.EqualFold(c[:len(line)], line) {
			found = i
			count++
		}
	}
	return found, count == 1
}

// Confirm asks for yes or no.
func (p *Plain) Confirm(ctx context.Context, title, message string, d Dialog) (bool, error) {
	if err := p.lines.acquire(ctx); err != nil {
		return false, err
	}
	defer p.lines.release()
	head := p.heading(title, d)
	if message != "" {
		head += "\n" + strings.TrimRight(clean.Prompt(message), "\n")
	}
	p.printf("%s\n", head)
	for range maxTries {
		line, err := p.answer(ctx, "[y/N] ")
		if err != nil {
			return false, err
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return true, nil
		case "", "n", "no":
			return false, nil
		}
		p.printf("Please answer yes or no.\n")
	}
	return false, nil
}

// Input asks for one line.
func (p *Plain) Input(ctx context.Context, title, placeholder string, d Dialog) (string, bool, error) {
	if err := p.lines.acquire(ctx); err != nil {
		return "", false, err
	}
	defer p.lines.release()
	head := p.heading(title, d)
	if placeholder != "" {
		head += " (" + clean.PromptLine(placeholder) + ")"
	}
	line, err := p.answer(ctx, head+": ")
	return line, err == nil && line != "", err
}

// Editor shows the text and asks for the lines that replace it.
func (p *Plain) Editor(ctx context.Context, title, prefill string, d Dialog) (string, bool, error) {
	if err := p.lines.acquire(ctx); err != nil {
		return "", false, err
	}
	defer p.lines.release()
	head := p.heading(title, d) + "\n"
	if prefill != "" {
		head += strings.TrimRight(clean.Prompt(prefill), "\n") + "\n"
	}
	p.printf("%sType the text; a line with only \".\" ends it, at once it keeps the text above.\n", head)
	var typed []string
	for {
		line, err := p.answer(ctx, "> ")
		switch {
		case errors.Is(err, ErrNoUI) && len(typed) > 0:
			return strings.Join(typed, "\n"), true, nil
		case err != nil:
			return "", false, err
		case line == "." && len(typed) == 0:
			return prefill, prefill != "", nil
		case line == ".":
			return strings.Join(typed, "\n"), true, nil
		}
		typed = append(typed, line)
	}
}

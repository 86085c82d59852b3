package builtin

// Screened returns why a file of bash is for a real shell, nil if it is not.
func Screened(text string) error {
	_, err := parse(text, "script.sh", Bash, fileText, newKept())
	return err
}

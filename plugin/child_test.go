package plugin_test

const childVar = "PLUGIN_TEST_CHILD"

func child() int { return 0 }

package worker

const DefaultTimeout = defaultTimeout

var Expect = expect

var ExpectExtension = expectExtension

var ExtensionID = extensionID

type ExtensionOptions = extensionOptions

var Schema = protocolSchema

var StartExtension = startExtension

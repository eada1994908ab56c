@_exported import HowdahModel
@_exported import HowdahRuntime

import Foundation

/// Standard output, written at once so that a pipe sees lines as they come.
enum Screen {
    static let isTerminal = isatty(1) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    static func line(_ text: String = "") { write(text + "\n") }

    static func heading(_ text: String) {
        line()
        line(isTerminal ? "\u{1B}[1m\(text)\u{1B}[0m" : text)
    }

    /// Writes without a line break.
    static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

    static func error(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}

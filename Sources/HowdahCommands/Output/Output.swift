import ArgumentParser
import Foundation

/// Standard output and standard error, where a write that fails is a failure of the command.
enum Output {
    /// Writes a text and a line break to standard output.
    ///
    /// - Throws: `CommandError` where the text could not be written, such as on a full disk; a quiet exit where nobody
    ///   reads any more, as behind `| head`.
    static func write(_ text: String) throws {
        let number = send(text + "\n", to: STDOUT_FILENO)
        if number == 0 { return }
        // With the signal for it ignored, the end of a pipe is an error like others; whoever closed it knows.
        if number == EPIPE { throw ExitCode.failure }
        throw CommandError(
            "Cannot write to standard output: \(String(cString: strerror(number))). Redirect standard output to a file."
        )
    }

    /// Writes a value as JSON that is the same for equal values.
    static func write(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try write(String(decoding: encoder.encode(value), as: UTF8.self))
    }

    /// Tells something beside the result on standard error, as one line; whether anybody hears it does not matter.
    static func tell(_ text: String) { _ = send(text.printable + "\n", to: STDERR_FILENO) }

    /// The same for a text of several lines.
    static func tellLines(_ text: String) { _ = send(text.printableLines + "\n", to: STDERR_FILENO) }

    /// 0, or the number of the error.
    static func send(_ text: String, to descriptor: Int32) -> Int32 {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}

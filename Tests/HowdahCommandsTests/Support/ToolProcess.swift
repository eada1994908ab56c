import Foundation
import Synchronization

@testable import LocalPostgres

/// A started program.
///
/// It is no `Process` of Foundation, which on Linux can crash while it starts one. This was seen in long runs with many threads.
final class ToolProcess: Sendable {
    private let child: ChildProcess
    private let end = Mutex<Int32?>(nil)

    /// Starts a program in a folder.
    ///
    /// - Parameters:
    ///   - output: The file that is standard output, and so on for `errors` and `input`; `/dev/null` if nil.
    ///   - place: A file that is open already, for standard output.
    init(
        _ program: String, _ arguments: [String], in folder: String, environment: [String: String],
        input: String? = nil, output: String? = nil, errors: String? = nil, place: FileHandle? = nil
    ) throws {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        func open(_ path: String?, _ flags: Int32) throws -> Int32 {
            let descriptor = Foundation.open(path ?? "/dev/null", flags | O_CLOEXEC)
            guard descriptor >= 0 else { throw CocoaError(.fileNoSuchFile) }
            opened.append(descriptor)
            return descriptor
        }
        let descriptors = [
            (child: Int32(0), ours: try open(input, O_RDONLY)),
            (child: 1, ours: try place?.fileDescriptor ?? open(output, O_WRONLY)),
            (child: 2, ours: try open(errors, O_WRONLY)),
        ]
        child = try ChildProcess(
            ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder, program] + arguments,
            environment: environment, descriptors: descriptors)
    }

    var processIdentifier: pid_t { child.identifier }

    func terminate() { kill(child.identifier, SIGTERM) }

    func interrupt() { kill(child.identifier, SIGINT) }

    /// Blocks until the program has ended, and returns its exit status; nil after a signal.
    @discardableResult
    func waitForEnd() -> Int32? {
        end.withLock { end in
            if end == nil {
                var status: Int32 = 0
                while waitpid(child.identifier, &status, 0) < 0, errno == EINTR {}
                end = status
            }
            return end.flatMap { $0 & 0x7f == 0 ? ($0 >> 8) & 0xff : nil }
        }
    }
}

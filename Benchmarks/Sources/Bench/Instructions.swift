import Foundation

/// The instructions of a program's own code, libraries included, as valgrind counts them.
///
/// The kernel's are left out, and so are those of the server. Two runs of the same program differ by a thousandth.
struct Instructions {
    private let valgrind: String
    private let folder: URL
    private let program: String

    /// - Throws: ``BenchError`` where there is no valgrind.
    init(of program: String) throws {
        let found = ["/usr/bin/valgrind", "/usr/local/bin/valgrind"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        guard let found else {
            throw BenchError("valgrind is missing. Install it (Debian: apt-get install valgrind).")
        }
        valgrind = found
        folder = FileManager.default.temporaryDirectory.appending(
            path: "bench-instructions-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Some versions of valgrind end if they read the debug information of a newer compiler.
        self.program = folder.appending(path: "program").path(percentEncoded: false)
        _ = try ChildProgram.run(["/usr/bin/env", "strip", "-g", "-o", self.program, program])
    }

    func end() { try? FileManager.default.removeItem(at: folder) }

    /// Runs the program with arguments and returns the number of its instructions.
    func count(_ arguments: [String]) throws -> Double {
        let report = folder.appending(path: "report").path(percentEncoded: false)
        _ = try ChildProgram.run(
            [
                valgrind, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=\(report)",
                "--log-file=/dev/null", program,
            ] + arguments)
        let summary = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n").last {
            $0.hasPrefix("summary:")
        }
        guard let count = summary?.split(separator: " ").last.flatMap({ Double($0) }) else {
            throw BenchError("valgrind counted nothing. Run \(program) with it by hand.")
        }
        return count
    }
}

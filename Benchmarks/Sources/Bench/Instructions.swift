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

    /// The instructions of a run.
    struct Count {
        let all: Double
        /// Those that look for types and conformances at run time.
        let generics: Double
    }

    /// The functions of Swift's runtime with these beginnings of names look for types and conformances.
    private static let genericFunctions = [
        "_swift_getGenericMetadata", "swift_getGenericMetadata", "swift_checkMetadataState",
        "__swift_instantiateCanonicalPrespecializedGenericMetadata",
        "swift_getCanonicalPrespecializedGenericMetadata", "swift_getWitnessTable", "swift_getAssociatedType",
        "swift_conformsToProtocol", "swift_dynamicCast", "swift_getTypeByMangledName", "tryCast(",
        "swift::MetadataCacheKey", "getCache(",
    ]

    /// Runs the program with arguments and counts its instructions.
    func count(_ arguments: [String]) throws -> Count {
        let report = folder.appending(path: "report").path(percentEncoded: false)
        _ = try ChildProgram.run(
            [
                valgrind, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=\(report)",
                "--log-file=/dev/null", program,
            ] + arguments)
        var (all, generics, isGeneric): (Double?, Double, Bool) = (nil, 0, false)
        for line in try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("fn=") {
                let name = line.dropFirst(3)
                isGeneric = Self.genericFunctions.contains { name.hasPrefix($0) }
            } else if isGeneric, line.first?.isNumber == true {
                generics += line.split(separator: " ").last.flatMap { Double($0) } ?? 0
            } else if line.hasPrefix("summary:") {
                all = line.split(separator: " ").last.flatMap { Double($0) }
            }
        }
        guard let all else {
            throw BenchError("valgrind counted nothing. Run \(program) with it by hand.")
        }
        return Count(all: all, generics: generics)
    }
}

import Foundation
import TestSupport
import Testing

/// Every line that can stop the process is in `docs/traps.md`, with the reason why data cannot reach it.
@Suite struct TrapListTests {
    private struct Trap {
        let file: String
        /// The line, and the one behind it, which has the condition or the message.
        let code: String
    }

    private static let modules = [
        "PQClient", "HowdahModel", "HowdahSchema", "HowdahMigration", "HowdahRuntime", "HowdahStages",
        "HowdahJSON", "Howdah",
    ]
    private static let words = [
        "precondition(", "preconditionFailure(", "fatalError(", "try!", " as!", "unsafelyUnwrapped",
        "assert(",
        "assertionFailure(",
    ]

    /// An integer type that may be too small for what it is made of, without a label that says what happens then.
    nonisolated(unsafe) private static let narrowing =
        /(?:^|[^.\w])(U?Int(8|16|32)|UInt(64)?)\((?!ascii:|clamping:|exactly:|truncatingIfNeeded:|bigEndian:|littleEndian:|bitPattern:|MemoryLayout|[-x_\dA-F]+\)|\))/
    /// An integer of what may have a fraction, be infinite or NaN.
    nonisolated(unsafe) private static let ofFraction =
        /(?:^|[^.\w])Int(64)?\((?!exactly:)[^)]*(rounded|Double|seconds|interval|fraction|whole|factor| \/ )/
    /// A place in an array that was computed from another type of number.
    nonisolated(unsafe) private static let computedIndex = /\w\[[^\]\[]*Int\(/

    private var root: URL { Repository.root }

    private func traps() throws -> [Trap] {
        var traps: [Trap] = []
        for module in Self.modules {
            let folder = root.appending(path: "Sources/\(module)")
            for path in try FileManager.default.subpathsOfDirectory(
                atPath: folder.path(percentEncoded: false))
            where path.hasSuffix(".swift") {
                let lines = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
                    .split(separator: "\n", omittingEmptySubsequences: false)
                    .map { $0.trimmingCharacters(in: .whitespaces) }
                for (index, line) in lines.enumerated() where !line.hasPrefix("//") && Self.isTrap(line) {
                    let next = index + 1 < lines.count ? lines[index + 1] : ""
                    traps.append(Trap(file: "\(module)/\(path)", code: "\(line) \(next)"))
                }
            }
        }
        return traps
    }

    /// Also a forced unwrapping: a name or a closing bracket with an exclamation mark behind it.
    private static func isTrap(_ line: String) -> Bool {
        if words.contains(where: line.contains) { return true }
        // What each of them needs, because matching takes long.
        if line.contains("Int"),
            line.contains(narrowing) || line.contains(ofFraction) || line.contains(computedIndex)
        {
            return true
        }
        guard line.contains("!") else { return false }
        let code = line.components(separatedBy: "\"").enumerated().filter { $0.offset.isMultiple(of: 2) }
            .map(\.element).joined(separator: " ").components(separatedBy: "//")[0]
        return code.firstMatch(of: /[\w)\]]!(?!=)/) != nil
    }

    @Test func eachIsListedWithItsReason() throws {
        let rows = try String(contentsOf: root.appending(path: "docs/traps.md"), encoding: .utf8)
            .split(separator: "\n").filter { $0.hasPrefix("| `") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
        let listed = try rows.map { row in
            try #require(row.count == 3 && row[2].count > 20, "\(row)")
            return Trap(
                file: row[0].trimmingCharacters(in: ["`"]), code: row[1].trimmingCharacters(in: ["`"]))
        }
        let traps = try traps()
        #expect(traps.count > 20, "the sources were not found")
        for trap in traps {
            #expect(
                listed.contains { ["*", trap.file].contains($0.file) && trap.code.contains($0.code) },
                "\(trap.file) can stop the process, and docs/traps.md does not say why that is right: \(trap.code)"
            )
        }
        for row in listed {
            #expect(
                traps.contains { ["*", $0.file].contains(row.file) && $0.code.contains(row.code) },
                "docs/traps.md lists what is no longer there: \(row.file) \(row.code)")
        }
    }
}

import ArgumentParser
import Foundation

/// Which formats, what stands for their arguments, and how findings are told.
struct FormatSource: ParsableArguments {
    @Argument(
        help: "A format, such as \"name BEGINSWITH[c] %@\"; in single quotes, the shell leaves it alone.")
    var format: String?

    @Option(
        help: ArgumentHelp(
            """
            A file with a format on each line, or a table (.tsv) with the columns format and, if wanted, entity; - for \
            standard input.
            """,
            valueName: "path"))
    var file: String?

    @Flag(help: "Reads the file as a table, whatever its name.")
    var table = false

    @Option(
        name: .customLong("argument"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "What stands for a placeholder, in their order: a literal of the grammar, a text, a key path for %K.",
            valueName: "value"))
    var arguments: [String] = []

    @Flag(help: "Tells the findings as JSON.")
    var json = false

    func validate() throws {
        guard (format == nil) != (file == nil) else {
            throw ValidationError("Give a format, or a file of them with --file.")
        }
        if file != nil, !arguments.isEmpty {
            throw ValidationError("--argument is for one format, not for --file.")
        }
        if table, file == nil { throw ValidationError("--table is for --file.") }
        if file == "" { throw ValidationError("--file is not empty.") }
    }

    func lines() throws -> [FormatLine] {
        if let format { return [FormatLine(number: nil, format: format)] }
        let path = file ?? ""
        let data = try path == "-" ? Self.standardInput() : Self.contents(of: path)
        if data.contains(0) { throw CommandError("\(name) is no text; name a file with formats.") }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw CommandError("\(name) is no UTF-8 text; save it as UTF-8.")
        }
        return try FormatLine.all(
            in: text.first == "\u{FEFF}" ? String(text.dropFirst()) : text,
            isTable: table || path.lowercased().hasSuffix(".tsv"))
    }

    /// What findings call the file.
    var name: String { file == "-" ? "standard input" : file ?? "" }

    private static func standardInput() throws(CommandError) -> Data {
        do {
            return try FileHandle.standardInput.readToEnd() ?? Data()
        } catch {
            throw CommandError("Cannot read standard input: \(error.localizedDescription)")
        }
    }

    private static func contents(of path: String) throws(CommandError) -> Data {
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            throw CommandError("Cannot read \(path): check that the file exists and may be read.")
        }
    }
}

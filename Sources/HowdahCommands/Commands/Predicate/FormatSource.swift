import ArgumentParser
import Foundation

/// Which formats, what stands for their arguments, and how findings are told.
struct FormatSource: ParsableArguments {
    @Argument(
        help:
            "A format, such as \"name BEGINSWITH[c] %@\". Put the format in single quotes to protect it from the shell."
    )
    var format: String?

    @Option(
        help: ArgumentHelp(
            """
            A file with a format on each line, or a table (.tsv) with the column format and optionally the column \
            entity. Use - for standard input.
            """,
            valueName: "path"), completion: .file())
    var file: String?

    @Flag(help: "Reads the file as a table, regardless of its name.")
    var table = false

    @Option(
        name: .customLong("argument"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The value of the next placeholder: a literal of the grammar, a text, or a key path for %K.",
            valueName: "value"))
    var arguments: [String] = []

    @Flag(help: "Prints the findings as JSON.")
    var json = false

    func validate() throws {
        guard (format == nil) != (file == nil) else {
            throw ValidationError(
                "The command needs either one format or a file of formats. Give a format, or add --file.")
        }
        if file != nil, !arguments.isEmpty {
            throw ValidationError(
                "--argument applies to a single format, not to --file. Remove one of the two.")
        }
        if table, file == nil {
            throw ValidationError("--table applies only to --file. Add --file, or remove --table.")
        }
        if file == "" { throw ValidationError("--file is empty. Give the path of a file.") }
    }

    func lines() throws -> [FormatLine] {
        if let format { return [FormatLine(number: nil, format: format)] }
        let path = file ?? ""
        let data = try path == "-" ? Self.standardInput() : Self.contents(of: path)
        if data.contains(0) {
            throw CommandError("\(name) is not a text file. Give a text file with formats.")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw CommandError("\(name) is not UTF-8 text. Convert the text to UTF-8.")
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
            throw CommandError(
                "Cannot read standard input (\(error.localizedDescription)). Redirect a file to standard input."
            )
        }
    }

    private static func contents(of path: String) throws(CommandError) -> Data {
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            throw CommandError("Cannot read \(path). Check that the file exists and that you may read it.")
        }
    }
}

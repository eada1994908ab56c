import ArgumentParser
import Foundation

/// Which formats, what stands for their arguments, and how findings are told.
struct FormatSource: ParsableArguments {
    @Argument(
        help: "A format, such as \"name BEGINSWITH[c] %@\"; in single quotes, the shell leaves it alone.")
    var format: String?

    @Option(
        help: ArgumentHelp(
            "A file with a format on each line, or a table (.tsv) with the columns format and, if wanted, entity.",
            valueName: "path"))
    var file: String?

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
        if file == "" { throw ValidationError("--file is not empty.") }
    }

    func lines() throws -> [FormatLine] {
        if let format { return [FormatLine(number: nil, format: format)] }
        let path = file ?? ""
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw CommandError("Cannot read \(path): check that the file exists and may be read.")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw CommandError("\(path) is no UTF-8 text; save it as UTF-8.")
        }
        return try FormatLine.all(in: text, isTable: path.lowercased().hasSuffix(".tsv"))
    }
}

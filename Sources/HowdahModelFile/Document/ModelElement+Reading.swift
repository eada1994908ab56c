import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

extension ModelElement {
    /// Bounds on what a file may make the reader do; real models stay far below.
    enum Limit {
        static let bytes = 16 << 20
        static let depth = 16
        static let elements = 400_000
        static let attributeBytes = 1 << 16
        static let expandedElements = 100_000
    }

    /// Reads the root element of an XML text.
    ///
    /// - Throws: ``ModelFileError`` with `tooLarge`, `malformed` with the line, `unsupportedFormat`, or `refused` for a
    ///   document type, whose entities could grow without bound.
    init(reading data: Data) throws(ModelFileError) {
        guard data.count <= Limit.bytes else { throw .tooLarge(data.count) }
        try Self.checkBeginning(of: data)
        // Looked for in the bytes: by the time a parser tells of an entity, it has begun to expand it.
        for word in ["<!DOCTYPE", "<!ENTITY"] where data.range(of: Data(word.utf8)) != nil {
            throw ModelFileError(
                .refused,
                "The file declares a document type or entities, which models have no use for; remove that.")
        }
        let outcome = Self.parse(data)
        if let error = outcome.error { throw error }
        guard outcome.isWhole, let root = outcome.root else {
            throw ModelFileError(
                .malformed,
                "The file is no well-formed XML from here on; restore it, or export the model again.",
                line: outcome.line)
        }
        self = root
        fault = Self.faultBehindEnd(of: data, root.name)
    }

    /// What a parser makes of bytes that have no document type: the root element as soon as that is closed.
    static func parse(
        _ data: Data
    ) -> (root: ModelElement?, error: ModelFileError?, isWhole: Bool, line: Int) {
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        let builder = Builder()
        parser.delegate = builder
        let isWhole = parser.parse()
        return (builder.root, builder.error, isWhole, max(parser.lineNumber, 1))
    }

    static func checkBeginning(of data: Data) throws(ModelFileError) {
        if data.isEmpty {
            throw ModelFileError(.malformed, "The file is empty; restore it, or export the model again.")
        }
        if data.starts(with: Data("bplist".utf8)) {
            throw ModelFileError(
                .unsupportedFormat,
                "The file is in the binary format of Xcode 3; open the model in Xcode 4 or newer and save it."
            )
        }
        guard !data.contains(0), String(validating: data, as: UTF8.self) != nil else {
            throw ModelFileError(.malformed, "The file is no UTF-8 text; save it as UTF-8.")
        }
        // Whatever the bytes say, a parser would read them as the declaration asks.
        let declaration = String(decoding: data.prefix(200), as: UTF8.self).lowercased()
        if let range = declaration.range(of: "encoding="),
            declaration[..<range.lowerBound].hasPrefix("<?xml"),
            !declaration[range.upperBound...].dropFirst().hasPrefix("utf-8")
        {
            throw ModelFileError(
                .unsupportedFormat, "The file is not declared as UTF-8; save it as UTF-8.", line: 1)
        }
    }

    private final class Builder: NSObject, XMLParserDelegate {
        var root: ModelElement?
        var error: ModelFileError?
        private var open: [ModelElement] = []
        private var count = 0

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String]
        ) {
            guard error == nil else { return }
            count += 1
            guard open.count < Limit.depth, count <= Limit.elements else {
                return stop(parser, "The file nests deeper, or has more elements, than any model.")
            }
            guard attributes.values.allSatisfy({ $0.utf8.count <= Limit.attributeBytes }) else {
                return stop(
                    parser,
                    "An attribute of <\(name.prefix(60))> is longer than \(Limit.attributeBytes) bytes.")
            }
            open.append(ModelElement(name: name, attributes: attributes, line: parser.lineNumber))
        }

        func parser(
            _ parser: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?
        ) {
            guard error == nil, let element = open.popLast() else { return }
            if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) { note(text, parser.lineNumber) }

        func parser(_ parser: XMLParser, foundCDATA data: Data) {
            note(String(decoding: data, as: UTF8.self), parser.lineNumber)
        }

        private func note(_ text: String, _ line: Int) {
            let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard !text.isEmpty, !open.isEmpty, open[open.count - 1].strayText == nil else { return }
            open[open.count - 1].strayText = (line, String(text.prefix(40)))
        }

        private func stop(_ parser: XMLParser, _ message: String) {
            error = ModelFileError(.tooLarge, message, line: parser.lineNumber)
            parser.abortParsing()
        }
    }
}

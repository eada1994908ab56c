import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

extension ModelElement {
    /// Reads the root element of an XML text.
    ///
    /// - Throws: ``ModelFileError`` with `tooLarge`, `malformed` with the line, `unsupportedFormat`, or `refused` for a
    ///   document type, whose entities could grow without bound.
    init(reading data: Data, as kind: DocumentKind = .model) throws(ModelFileError) {
        guard data.count <= ModelFileError.largestFile else { throw .tooLarge }
        try Self.checkBeginning(of: data, as: kind)
        let data = kind.withoutDocumentType(data)
        // Searched for in the bytes: when a parser reports an entity, it has begun to expand it.
        for word in ["<!DOCTYPE", "<!ENTITY"] where data.range(of: Data(word.utf8)) != nil {
            throw ModelFileError(
                .refused,
                "The file declares a document type or entities, which a \(kind.name) never uses. Remove "
                    + "these declarations."
            )
        }
        let outcome = Self.parse(data, as: kind)
        if let error = outcome.error { throw error }
        guard outcome.isWhole, let root = outcome.root else {
            throw ModelFileError(
                .malformed,
                "The XML is invalid here. Correct the XML, or restore the \(kind.name) file from version control.",
                line: outcome.line)
        }
        self = root
        fault = Self.faultBehindEnd(of: data, root.name, as: kind)
    }

    /// Parses bytes that have no document type. The root element is there as soon as it ends.
    static func parse(
        _ data: Data, as kind: DocumentKind
    ) -> (root: ModelElement?, error: ModelFileError?, isWhole: Bool, line: Int) {
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        let builder = ElementBuilder(kind)
        parser.delegate = builder
        let isWhole = parser.parse()
        return (builder.root, builder.error, isWhole, builder.faultLine ?? max(parser.lineNumber, 1))
    }

    private static func checkBeginning(of data: Data, as kind: DocumentKind) throws(ModelFileError) {
        if data.isEmpty {
            throw ModelFileError(
                .malformed,
                "The file is empty. Restore the \(kind.name) file from version control, or export the \(kind.name) again."
            )
        }
        if data.starts(with: Data("bplist".utf8)) {
            throw ModelFileError(
                .unsupportedFormat,
                "The file is in the binary format of Xcode 3. Open the \(kind.name) in Xcode 4 or newer, and save it there."
            )
        }
        guard !data.contains(0), String(validating: data, as: UTF8.self) != nil else {
            throw ModelFileError(.malformed, "The file is not UTF-8 text. Save the file as UTF-8.")
        }
        // A parser reads the bytes in the encoding that the declaration names, even if they are UTF-8.
        let declaration = String(decoding: data.prefix(200), as: UTF8.self).lowercased()
        if let range = declaration.range(of: "encoding="),
            declaration[..<range.lowerBound].hasPrefix("<?xml"),
            !declaration[range.upperBound...].dropFirst().hasPrefix("utf-8")
        {
            throw ModelFileError(
                .unsupportedFormat,
                "The XML declaration names another encoding than UTF-8. Save the file as UTF-8.",
                line: 1)
        }
    }
}

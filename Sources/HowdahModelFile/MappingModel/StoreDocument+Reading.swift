import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

extension StoreDocument {
    private enum Limit {
        static let objects = 100_000
        static let depth = 64
        /// Bytes of one attribute that is read; expressions are a few hundred.
        static let text = 2 << 20
    }

    /// The attributes whose text is of no use here: whole models, which the caller has.
    private static let unread: Set<String> = ["sourcemodeldata", "destinationmodeldata"]

    /// Reads a document.
    ///
    /// - Throws: ``ModelFileError`` as ``ModelElement/init(reading:)`` does. The one document type that Core Data writes is
    ///   left out before a parser sees it.
    init(reading data: Data) throws(ModelFileError) {
        guard data.count <= ModelElement.Limit.bytes else { throw .tooLarge(data.count) }
        try ModelElement.checkBeginning(of: data)
        let data = Self.withoutDocumentType(data)
        for word in ["<!DOCTYPE", "<!ENTITY"] where data.range(of: Data(word.utf8)) != nil {
            throw ModelFileError(
                .refused,
                "The file declares a document type or entities that mapping models have no use for; remove that."
            )
        }
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        let builder = Builder()
        parser.delegate = builder
        let isWhole = parser.parse()
        if let error = builder.error { throw error }
        guard isWhole, let root = builder.root else {
            throw ModelFileError(
                .malformed,
                "The file is no well-formed XML from here on; restore it, or export the mapping model again.",
                line: max(parser.lineNumber, 1))
        }
        guard root == "database" else {
            throw ModelFileError(
                .malformed,
                "The file is no mapping model: it begins with <\(root.prefix(60))> instead of <database>.",
                line: 1)
        }
        self = builder.document
        if let fault = ModelElement.faultBehindEnd(of: data, root) { faults.append(fault) }
    }

    /// The same bytes with space for the document type that names Core Data's own description and nothing else.
    private static func withoutDocumentType(_ data: Data) -> Data {
        let head = data.prefix(1024)
        guard let start = head.range(of: Data("<!DOCTYPE database SYSTEM \"".utf8)),
            let end = head[start.upperBound...].firstIndex(of: UInt8(ascii: ">")),
            head[start.upperBound..<end].last == UInt8(ascii: "\""),
            head[start.upperBound..<end].count(where: { $0 == UInt8(ascii: "\"") }) == 1,
            !head[start.upperBound..<end].contains(UInt8(ascii: "["))
        else { return data }
        var result = data
        for place in start.lowerBound...end where result[place] != UInt8(ascii: "\n") {
            result[place] = UInt8(ascii: " ")
        }
        return result
    }

    private final class Builder: NSObject, XMLParserDelegate {
        var document = StoreDocument()
        var root: String?
        var error: ModelFileError?
        private var depth = 0
        private var object: StoreDocument.Object?
        private var attribute: (name: String, type: String, line: Int)?
        private var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String]
        ) {
            depth += 1
            if depth == 1 { root = name }
            guard error == nil else { return }
            guard depth <= Limit.depth, document.objects.count < Limit.objects else {
                return stop(parser, "The file nests deeper, or has more objects, than any mapping model.")
            }
            let line = parser.lineNumber
            switch (depth, name) {
            case (2, "object"):
                object = StoreDocument.Object(
                    type: attributes["type"] ?? "", id: attributes["id"] ?? "", line: line)
            case (3, "attribute"):
                guard object != nil else { return }
                attribute = (attributes["name"] ?? "", attributes["type"] ?? "", line)
                text = ""
            case (3, "relationship"):
                guard object != nil, let name = attributes["name"] else { return }
                object?.relationships[name] = (attributes["idrefs"] ?? "").split(separator: " ").map(
                    String.init)
            case (2, "databaseInfo"): break
            case (2, _): warn("<\(name.prefix(60))> is unknown and has no effect.", line)
            default: if object != nil { warn("<\(name.prefix(60))> is unknown and has no effect.", line) }
            }
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            depth -= 1
            guard error == nil else { return }
            if depth == 2, let attribute {
                let value = StoreDocument.Attribute(type: attribute.type, text: text, line: attribute.line)
                if object?.attributes.updateValue(value, forKey: attribute.name) != nil {
                    document.faults.append(
                        ModelFileFault(
                            line: attribute.line,
                            message:
                                "The attribute \(attribute.name.prefix(60)) stands here twice; remove one."))
                }
                self.attribute = nil
            } else if depth == 1, let object {
                document.objects.append(object)
                self.object = nil
            }
        }

        func parser(_ parser: XMLParser, foundCharacters found: String) {
            guard error == nil, let attribute, depth == 3, !StoreDocument.unread.contains(attribute.name)
            else { return }
            text += found
            if text.utf8.count > Limit.text {
                stop(parser, "The attribute \(attribute.name.prefix(60)) is longer than \(Limit.text) bytes.")
            }
        }

        func parser(_ parser: XMLParser, foundCDATA data: Data) {
            self.parser(parser, foundCharacters: String(decoding: data, as: UTF8.self))
        }

        private func warn(_ message: String, _ line: Int) {
            document.warnings.append(
                ModelFileWarning(entity: nil, property: nil, line: line, message: message))
        }

        private func stop(_ parser: XMLParser, _ message: String) {
            error = ModelFileError(.tooLarge, message, line: parser.lineNumber)
            parser.abortParsing()
        }
    }
}

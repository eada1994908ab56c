import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Builds a tree of elements from the events of an XML parser, within the limits of a kind of document.
final class ElementBuilder: NSObject, XMLParserDelegate {
    private let kind: DocumentKind
    private(set) var root: ModelElement?
    private(set) var error: ModelFileError?
    private var open: [ModelElement] = []
    private var count = 0
    /// The line of the first mistake; nil if there is none.
    private(set) var faultLine: Int?

    init(_ kind: DocumentKind) { self.kind = kind }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        guard error == nil else { return }
        count += 1
        guard open.count < kind.depth else {
            return stop(
                parser,
                "The elements are nested deeper than \(kind.depth) levels. Restore the \(kind.name) file from version "
                    + "control.")
        }
        guard count <= kind.elements else {
            return stop(
                parser,
                "The file has more than \(kind.elements) elements. Divide the \(kind.name), or restore the "
                    + "\(kind.name) file from version control.")
        }
        guard attributes.values.allSatisfy({ $0.utf8.count <= kind.attributeBytes }) else {
            return stop(
                parser,
                "An XML attribute of <\(name.prefix(60))> is longer than \(kind.attributeBytes) bytes. "
                    + "Shorten the attribute.")
        }
        open.append(ModelElement(name: name, attributes: attributes, line: parser.lineNumber))
    }

    func parser(
        _ parser: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?
    ) {
        guard error == nil, let element = open.popLast() else { return }
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { add(text, parser) }

    func parser(_ parser: XMLParser, foundCDATA data: Data) {
        add(String(decoding: data, as: UTF8.self), parser)
    }

    private func add(_ text: String, _ parser: XMLParser) {
        guard error == nil, let last = open.indices.last else { return }
        if kind.textBytes > 0 {
            let name = open[last]["name"] ?? ""
            guard !kind.skippedTexts.contains(name) else { return }
            open[last].content += text
            if open[last].content.utf8.count > kind.textBytes {
                stop(
                    parser,
                    "The text of the attribute \(name.prefix(60)) is longer than \(kind.textBytes) bytes. "
                        + "Shorten the text.")
            }
        } else if open[last].strayText == nil {
            let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
            if !text.isEmpty { open[last].strayText = (parser.lineNumber, String(text.prefix(40))) }
        }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        // The parser goes on to the end of the file, and reports what follows from the first mistake.
        faultLine = faultLine ?? max(parser.lineNumber, 1)
    }

    private func stop(_ parser: XMLParser, _ message: String) {
        error = ModelFileError(.tooLarge, message, line: parser.lineNumber)
        parser.abortParsing()
    }
}

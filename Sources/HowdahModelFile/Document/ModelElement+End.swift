import Foundation

extension ModelElement {
    /// Finds text after the root element, which a parser would ignore without an error.
    ///
    /// Reads from the end of the file: comments, processing instructions and space may be there, then the end tag.
    static func faultBehindEnd(of data: Data, _ root: String, as kind: DocumentKind) -> ModelFileDefect? {
        var rest = Substring(String(decoding: data, as: UTF8.self))
        while true {
            while let last = rest.last, last.isWhitespace { rest.removeLast() }
            if rest.hasSuffix("-->"), let start = rest.range(of: "<!--", options: .backwards) {
                rest = rest[..<start.lowerBound]
            } else if rest.hasSuffix("?>"), let start = rest.range(of: "<?", options: .backwards) {
                rest = rest[..<start.lowerBound]
            } else {
                break
            }
        }
        let tag = rest.lastIndex(of: "<").map { rest[$0...] } ?? ""
        if rest.hasSuffix(">"), tag.dropLast().allSatisfy({ $0 != ">" }),
            tag.hasPrefix("</\(root)") || tag.hasPrefix("<\(root)"),
            !isWhole(rest[..<tag.startIndex], root, kind)
        {
            return nil
        }
        return ModelFileDefect(
            line: rest.utf8.count { $0 == UInt8(ascii: "\n") } + 1,
            message: "The file contains text after the end of the \(kind.name), </\(root.prefix(60))>. "
                + "Remove the text.")
    }

    /// Indicates whether a model ends before the last tag. Only a text that has another such tag needs the parser.
    private static func isWhole(_ text: Substring, _ root: String, _ kind: DocumentKind) -> Bool {
        let opening = text.range(of: "<\(root)")
        let end = opening.flatMap { text[$0.upperBound...].firstIndex(of: ">") }
        let closesItself = end.map { text[..<$0].hasSuffix("/") } ?? false
        guard closesItself || text.contains("</\(root)") else { return false }
        return parse(Data(text.utf8), as: kind).root != nil
    }
}

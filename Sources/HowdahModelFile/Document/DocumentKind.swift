import Foundation

/// The limits and the grammar of one kind of XML document.
struct DocumentKind: Sendable {
    /// The kind of document, for messages.
    let name: String
    /// The deepest nesting of elements.
    let depth: Int
    /// The number of elements, at most.
    let elements: Int
    /// The length of an attribute's value, in bytes, at most.
    let attributeBytes: Int
    /// The length of an element's text, in bytes, at most; 0 if the elements have none.
    let textBytes: Int
    /// The values of `name` of those elements whose text is skipped.
    var skippedTexts: Set<String> = []
    /// The beginning of a document type that is replaced by space before parsing.
    var ignoredDocumentType: String?

    /// A model, whose elements have attributes only.
    static let model = DocumentKind(
        name: "model", depth: 16, elements: 400_000, attributeBytes: 1 << 16, textBytes: 0)

    /// A mapping model, which is a store of Core Data in XML.
    ///
    /// Expressions have a few hundred bytes. The copies of both models are skipped, because the caller has the models.
    static let mappingModel = DocumentKind(
        name: "mapping model", depth: 64, elements: 400_000, attributeBytes: 2 << 20, textBytes: 2 << 20,
        skippedTexts: ["sourcemodeldata", "destinationmodeldata"],
        ignoredDocumentType: "<!DOCTYPE database SYSTEM \"")

    /// The same bytes, with space in place of a document type that only names Core Data's own description.
    func withoutDocumentType(_ data: Data) -> Data {
        let head = data.prefix(1024)
        guard let ignoredDocumentType, let start = head.range(of: Data(ignoredDocumentType.utf8)),
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
}

import Foundation
import HowdahModel

/// Reads canonical JSON, and notes what a decoder would pass over: keys that nobody knows, and repeated ones.
struct JSONReader {
    private(set) var warnings: [ModelFileWarning] = []
    private(set) var defects: [ModelFileDefect] = []

    /// The model in a text, and the keys that have no effect.
    ///
    /// - Throws: ``ModelFileError``; everything that is malformed at once, and what is wrong with the model at once.
    static func model(
        in data: Data
    ) throws(ModelFileError) -> (model: ManagedObjectModel, warnings: [ModelFileWarning]) {
        guard let text = String(validating: data, as: UTF8.self) else {
            throw ModelFileError(.malformed, "The file is not UTF-8 text. Save the file as UTF-8.")
        }
        // A byte order mark means nothing in UTF-8, and some editors write one.
        let bare = text.hasPrefix("\u{FEFF}") ? String(text.unicodeScalars.dropFirst()) : text
        let root = try JSONNode(text: bare)
        var reader = JSONReader()
        // Of another format than this one nothing is known.
        if root.isOfKnownFormat { reader.check(root, .model, "") }
        guard reader.defects.isEmpty else {
            throw ModelFileError(
                defects: reader.defects.sorted { $0.line < $1.line }, issues: [], warnings: reader.warnings)
        }
        do {
            return (
                try JSONDecoder().decode(ManagedObjectModel.self, from: Data(bare.utf8)), reader.warnings
            )
        } catch let error as ModelError {
            throw ModelFileError(
                .invalidModel, error.message, issues: error.issues, warnings: reader.warnings)
        } catch {
            throw reader.failure(error, root)
        }
    }

    /// What only decoding finds: a text that is none of its type.
    private func failure(_ error: any Error, _ root: JSONNode) -> ModelFileError {
        let context: DecodingError.Context? =
            switch error as? DecodingError {
            case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?,
                .keyNotFound(_, let context)?,
                .dataCorrupted(let context)?:
                context
            default: nil
            }
        let path = context?.codingPath ?? []
        // Only such errors have texts of the library's own.
        let isOwn = if case .dataCorrupted? = error as? DecodingError { !path.isEmpty } else { false }
        let reason =
            isOwn
            ? context?.debugDescription ?? ""
            : (error as? DecodingError)?.complaintAboutShape
                ?? "The model file cannot be read here. Correct or remove the value."
        return ModelFileError(
            .malformed, "\(Self.place(path)): \(reason)", line: root.nearest(to: path).line,
            warnings: warnings)
    }

    private static func place(_ path: [any CodingKey]) -> String {
        let text = path.reduce("") { text, step in
            step.intValue.map { "\(text)[\($0)]" } ?? (text.isEmpty ? "" : text + ".") + step.stringValue
        }
        return text.isEmpty ? "The model" : text
    }

    mutating func fault(_ node: JSONNode, _ place: String, _ message: String) {
        fault(line: node.line, place, message)
    }

    mutating func fault(line: Int, _ place: String, _ message: String) {
        defects.append(
            ModelFileDefect(line: line, message: "\(place.isEmpty ? "The model" : place): \(message)"))
    }

    mutating func warn(_ line: Int, _ place: String, _ message: String) {
        warnings.append(
            ModelFileWarning(
                entityName: nil, propertyName: nil, line: line,
                message: place.isEmpty ? message : "\(place): \(message)"))
    }
}

extension JSONNode {
    fileprivate var isOfKnownFormat: Bool {
        guard case .object(let members) = content,
            case .number(let text)? = members.first(where: { $0.key == "format" })?.value.content
        else { return true }
        return text == "1"
    }
}

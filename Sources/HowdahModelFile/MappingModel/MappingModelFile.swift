public import Foundation
public import HowdahModel

/// A mapping model on disk: that of Xcode, or JSON.
///
/// Reads `.xcmappingmodel`, its `xcmapping.xml`, and `.json` as `JSONEncoder` writes a `MappingModel`. The file is looked at
/// when it is asked for.
public struct MappingModelFile: Sendable {
    /// A mapping model and what was noticed while reading it.
    public struct Contents: Sendable {
        /// The mapping model. What Xcode leaves to the models is left open in it, see
        /// `MappingModel.resolved(from:to:)`.
        public let mappingModel: MappingModel
        /// Where the source model was when the file was made; nil where the file does not say.
        public let sourceModelPath: String?
        /// Where the destination model was when the file was made; nil where the file does not say.
        public let destinationModelPath: String?
        /// What has no effect; in the order of the file.
        public let warnings: [ModelFileWarning]
    }

    /// The file or folder.
    public let url: URL
    private let file: URL

    /// Finds out what is at `url`.
    ///
    /// - Throws: ``ModelFileError``: `unreadable`, `unsupportedFormat`.
    public init(at url: URL) throws(ModelFileError) {
        self.url = url
        let path = url.path(percentEncoded: false)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ModelFileError(.unreadable, "The file does not exist. Check the path.", path: path)
        }
        if url.pathExtension == "cdm" {
            throw ModelFileError(
                .unsupportedFormat,
                "This is a compiled mapping model. Use the .xcmappingmodel that it was compiled from.",
                path: path)
        }
        file = isFolder.boolValue ? url.appending(path: "xcmapping.xml") : url
        if isFolder.boolValue, !FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) {
            throw ModelFileError(
                .unreadable,
                "The folder contains no mapping model. Use an .xcmappingmodel with an xcmapping.xml.",
                path: path)
        }
    }

    /// Reads the mapping model.
    ///
    /// - Throws: ``ModelFileError``; everything that is malformed comes at once.
    public func contents() throws(ModelFileError) -> Contents {
        let data = try ModelFile.read(file)
        do {
            if file.pathExtension == "json" { return try Self.json(data) }
            var reader = MappingModelReader(try StoreDocument(reading: data))
            return try reader.contents()
        } catch {
            throw error.at(file.path(percentEncoded: false))
        }
    }

    private static func json(_ data: Data) throws(ModelFileError) -> Contents {
        do {
            let model = try JSONDecoder().decode(MappingModel.self, from: data)
            return Contents(
                mappingModel: model, sourceModelPath: nil, destinationModelPath: nil, warnings: [])
        } catch let error as DecodingError {
            let (place, reason) = error.placeAndReason
            throw ModelFileError(.malformed, "The JSON is not a mapping model: \(place)\(reason)")
        } catch {
            throw ModelFileError(
                .malformed,
                "The file is not valid JSON. Correct the JSON, or restore the mapping model file from version control."
            )
        }
    }
}

extension MappingModel {
    /// Reads a mapping model from an `.xcmappingmodel` or JSON; see ``MappingModelFile``.
    ///
    /// - Throws: ``ModelFileError``.
    public init(contentsOf url: URL) throws(ModelFileError) {
        self = try MappingModelFile(at: url).contents().mappingModel
    }
}

extension DecodingError {
    /// Where in the text, and what is wrong there.
    fileprivate var placeAndReason: (place: String, reason: String) {
        let (context, reason): (Context, String) =
            switch self {
            case .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
                (context, complaintAboutShape ?? "")
            case .dataCorrupted(let context) where context.codingPath.isEmpty:
                (context, "The text is not valid JSON. Correct the JSON.")
            case .dataCorrupted(let context):
                (
                    context,
                    // Errors of Foundation and Swift have no full stop and no remedy.
                    context.debugDescription
                        + (context.debugDescription.hasSuffix(".") ? "" : ". Correct the value.")
                )
            @unknown default: (Context(codingPath: [], debugDescription: ""), "\(self)")
            }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(
            separator: ".")
        return (path.isEmpty ? "" : "\(path): ", reason)
    }
}

public import Foundation
public import HowdahModel

/// A model on disk: one version of an Xcode model, a bundle of versions, or canonical JSON.
///
/// Reads `.xcdatamodeld`, `.xcdatamodel`, its `contents`, and `.json`. A file is looked at when it is asked for.
public struct ModelFile: Sendable {
    /// A model and what was noticed while reading it.
    public struct Contents: Sendable {
        /// The model.
        public let model: ManagedObjectModel
        /// What has no effect, or was taken for something near it; in the order of the file.
        public let warnings: [ModelFileWarning]
    }

    /// The file or folder.
    public let url: URL
    /// The names of the versions, without extension, in natural order (9 before 10); one name where there is no bundle.
    public let versions: [String]
    /// The version that the bundle calls current, or its only one; nil where the bundle does not say.
    public let currentVersion: String?
    private let files: [String: URL]

    /// What to call the model: the file's name without its extensions.
    public var name: String {
        let stem = url.deletingPathExtension().lastPathComponent
        return stem.hasSuffix(".howdahmodel") ? String(stem.dropLast(".howdahmodel".count)) : stem
    }

    /// Finds out what is at `url`, and which versions it has.
    ///
    /// - Throws: ``ModelFileError``: `unreadable`, `unsupportedFormat`, `malformed` for a bundle without versions,
    ///   `unknownVersion` for a bundle whose current version is missing.
    public init(at url: URL) throws(ModelFileError) {
        self.url = url
        let path = url.path(percentEncoded: false)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ModelFileError(.unreadable, "The file does not exist. Check the path.", path: path)
        }
        let name = url.deletingPathExtension().lastPathComponent
        switch (url.pathExtension, isFolder.boolValue) {
        case ("xcdatamodeld", true):
            let bundle = try VersionedBundle(url)
            (versions, currentVersion, files) = (bundle.versions, bundle.currentVersion, bundle.files)
        case ("mom", _), ("momd", _), ("omo", _):
            throw ModelFileError(
                .unsupportedFormat,
                "This is a compiled model. Use the .xcdatamodeld that it was compiled from.", path: path)
        case (_, true):
            (versions, currentVersion, files) = ([name], name, [name: try Self.contents(in: url)])
        case (_, false):
            (versions, currentVersion, files) = ([name], name, [name: url])
        }
    }

    /// Reads one version; nil reads the current one.
    ///
    /// - Throws: ``ModelFileError``; everything that is wrong with the model itself comes at once, as `invalidModel`.
    public func contents(version: String? = nil) throws(ModelFileError) -> Contents {
        let path = url.path(percentEncoded: false)
        let list = versions.joined(separator: ", ")
        guard let name = version ?? currentVersion else {
            throw ModelFileError(
                .unknownVersion,
                "The .xcdatamodeld does not say which version is current. Its versions are: \(list). Set the "
                    + "current version in Xcode, or name a version.",
                path: path)
        }
        guard let file = files[name] ?? files[(name as NSString).deletingPathExtension] else {
            throw ModelFileError(
                .unknownVersion, "The model has no version \"\(name)\". Choose one of its versions: \(list).",
                path: path)
        }
        if file.pathExtension == "xcdatamodel" { _ = try Self.contents(in: file) }
        let data = try Self.read(file)
        do {
            if file.pathExtension == "json" {
                let (model, warnings) = try JSONReader.model(in: data)
                return Contents(model: model, warnings: warnings)
            }
            var reader = ModelReader()
            let model = try reader.model(of: ModelElement(reading: data))
            return Contents(model: model, warnings: reader.warnings)
        } catch {
            throw error.at(file.path(percentEncoded: false))
        }
    }

    static func contents(in folder: URL) throws(ModelFileError) -> URL {
        let contents = folder.appending(path: "contents")
        let path = folder.path(percentEncoded: false)
        if FileManager.default.fileExists(atPath: contents.path(percentEncoded: false)) { return contents }
        if FileManager.default.fileExists(atPath: path + "/elements") {
            throw ModelFileError(
                .unsupportedFormat,
                "The model is in the binary format of Xcode 3. Open the model in Xcode 4 or newer, and save "
                    + "it there.",
                path: path)
        }
        throw ModelFileError(
            .unreadable,
            "The folder contains no model. Use an .xcdatamodeld, an .xcdatamodel or a .json "
                + "file.",
            path: path)
    }

    static func read(_ file: URL) throws(ModelFileError) -> Data {
        let path = file.path(percentEncoded: false)
        switch try? FileManager.default.attributesOfItem(
            atPath: file.resolvingSymlinksInPath().path(percentEncoded: false))[.type] as? FileAttributeType
        {
        case .typeRegular?, nil: break
        case .typeDirectory?:
            throw ModelFileError(
                .unreadable,
                "This is a folder, but a file was expected. Remove the folder, or use another "
                    + "path.",
                path: path)
        default:
            // Opening a pipe would wait for whoever writes to it.
            throw ModelFileError(
                .unreadable, "This is a pipe, a device or a socket. Use a file.", path: path)
        }
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            // One byte more than allowed is enough to know; the rest of a huge file stays where it is.
            let data = try handle.read(upToCount: ModelFileError.largestFile + 1) ?? Data()
            if data.count > ModelFileError.largestFile { throw ModelFileError.tooLarge }
            return data
        } catch let error as ModelFileError {
            throw error.at(path)
        } catch {
            throw ModelFileError(
                .unreadable, "The file cannot be read. Check the permissions of the file.", path: path)
        }
    }
}

extension ManagedObjectModel {
    /// Reads a model from an Xcode model, a bundle of versions, or canonical JSON; see ``ModelFile``.
    ///
    /// `version` nil reads the bundle's current version. What has no effect is left out; ``ModelFile`` tells.
    ///
    /// - Throws: ``ModelFileError``.
    public init(contentsOf url: URL, version: String? = nil) throws(ModelFileError) {
        self = try ModelFile(at: url).contents(version: version).model
    }
}

import Foundation

/// The versions in an `.xcdatamodeld`.
struct VersionedBundle {
    let versions: [String]
    let currentVersion: String?
    let files: [String: URL]

    init(_ url: URL) throws(ModelFileError) {
        let path = url.path(percentEncoded: false)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw ModelFileError(
                .unreadable,
                "The folder cannot be read. Check the permissions of the "
                    + "folder.", path: path)
        }
        let folders = names.filter { $0.hasSuffix(".xcdatamodel") }
        guard !folders.isEmpty else {
            throw ModelFileError(
                .malformed,
                "The .xcdatamodeld contains no version of a model. Restore the .xcdatamodeld from version control.",
                path: path)
        }
        var files: [String: URL] = [:]
        for folder in folders {
            // Whether a version can be read matters when it is asked for: old ones may be in an old format.
            let location = url.appending(path: folder)
            let file = try? ModelFile.contents(in: location)
            files[String(folder.dropLast(".xcdatamodel".count))] = file ?? location
        }
        self.files = files
        versions = files.keys.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
        let current = Self.current(in: url)
        if let current, files[current] == nil {
            throw ModelFileError(
                .unknownVersion,
                "The current version \"\(current)\" is not in the .xcdatamodeld. Its versions are: "
                    + "\(versions.joined(separator: ", ")). Set another current version in Xcode, or restore "
                    + "\"\(current)\".", path: path)
        }
        currentVersion = current ?? (versions.count == 1 ? versions.first : nil)
    }

    private static func current(in url: URL) -> String? {
        guard let data = try? ModelFile.read(url.appending(path: ".xccurrentversion")), data.count < 1 << 16,
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any],
            let name = list["_XCCurrentVersionName"] as? String
        else { return nil }
        return (name as NSString).deletingPathExtension
    }
}

package import Foundation
internal import HowdahModelFile
internal import TestSupport

/// The shared models of real programs, which a clone of its own does not have.
package enum Corpus {
    package struct Version: CustomStringConvertible, Sendable {
        package let file: URL
        package let name: String?
        package let project: String
        /// Whether it is the current version of its bundle, or has none.
        package let isCurrent: Bool

        package var description: String {
            [project, file.deletingPathExtension().lastPathComponent, name].compactMap { $0 }.joined(
                separator: "/")
        }
    }

    package static let folder: URL? = {
        var folder = URL(filePath: #filePath)
        for _ in 0..<8 {
            folder.deleteLastPathComponent()
            for place in ["shared/corpus/models", "../shared/corpus/models"] {
                let candidate = folder.appending(path: place).standardizedFileURL
                if FileManager.default.fileExists(atPath: candidate.path(percentEncoded: false)) {
                    return candidate
                }
            }
        }
        return ProcessInfo.processInfo.environment["HOWDAH_CORPUS"].map {
            URL(filePath: $0).appending(path: "models")
        }
    }()

    package static let absence = "the shared corpus is not beside this clone"

    /// The current version of each bundle; at night all of them.
    package static let versions: [Version] = files.flatMap { project, url -> [Version] in
        guard let file = try? ModelFile(at: url) else { return [] }
        return file.versions.compactMap { name in
            let isCurrent = name == file.currentVersion
            return isCurrent || TestTier.isNightly
                ? Version(file: url, name: name, project: project, isCurrent: isCurrent) : nil
        }
    }

    /// The files and bundles, sorted.
    package static let files: [(project: String, url: URL)] = {
        guard let folder else { return [] }
        let names = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var found: [(String, URL)] = []
        while let url = names?.nextObject() as? URL {
            guard ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) else { continue }
            names?.skipDescendants()
            found.append((String(url.path.dropFirst(folder.path.count + 1).prefix { $0 != "/" }), url))
        }
        return found.sorted { $0.1.path < $1.1.path }.map { (project: $0.0, url: $0.1) }
    }()

    /// The mapping models, sorted.
    package static let mappings: [(project: String, url: URL)] = {
        guard let folder = folder?.deletingLastPathComponent().appending(path: "mappings") else { return [] }
        let names = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var found: [(String, URL)] = []
        while let url = names?.nextObject() as? URL {
            guard url.pathExtension == "xcmappingmodel" else { continue }
            names?.skipDescendants()
            found.append((String(url.path.dropFirst(folder.path.count + 1).prefix { $0 != "/" }), url))
        }
        return found.sorted { $0.1.path < $1.1.path }.map { (project: $0.0, url: $0.1) }
    }()
}

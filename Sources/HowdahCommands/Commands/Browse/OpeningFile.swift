import Foundation

/// A file that leads a browser to an address with a secret.
///
/// Every user of a machine can see the arguments of programs, and only the owner of the file can read it.
struct OpeningFile {
    /// The path of the file.
    let path: String
    private let folder: URL

    /// Creates a folder with the file.
    ///
    /// - Parameter parent: The folder for the user's files of this session.
    /// - Throws: `CocoaError` if the folder or the file cannot be created.
    init(leadingTo address: String, in parent: URL = Self.parent) throws {
        folder = parent.appending(path: "howdah-browse-\(UUID().uuidString.lowercased())")
        path = folder.appending(path: "open.html").path()
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let head = "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>howdah browse</title>\n"
        let step = "<meta http-equiv=\"refresh\" content=\"0; url=\(address)\">\n"
        let page = head + step + "<p><a href=\"\(address)\">Open the pages.</a></p></html>\n"
        try Data(page.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// Removes the folder.
    func remove() { try? FileManager.default.removeItem(at: folder) }

    private static var parent: URL {
        if let path = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"], path.hasPrefix("/") {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        return FileManager.default.temporaryDirectory
    }
}

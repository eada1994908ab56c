import Foundation

/// The folders of the pictures.
enum Pictures {
    private static let environment = ProcessInfo.processInfo.environment

    /// The folder of the pictures of every page.
    static let folder = URL(fileURLWithPath: environment["HOWDAH_BROWSER_FOLDER"] ?? "/tmp")

    static func file(_ name: String) -> URL { folder.appending(path: "\(name).png") }

    /// The file of a picture of the tour; next to the others unless `--pictures` names a folder.
    static func tour(_ name: String) -> URL {
        guard let path = environment["HOWDAH_PICTURES"], !path.isEmpty else { return file("tour-\(name)") }
        return URL(fileURLWithPath: path).appending(path: "browse-\(name).png")
    }
}

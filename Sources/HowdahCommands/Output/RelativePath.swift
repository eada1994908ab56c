import Foundation

/// The path from a folder, with steps up where it is beside or above.
func relativePath(_ path: String, to folder: URL) -> String {
    if path.hasPrefix("/") { return path }
    let goal = URL(filePath: path).absoluteURL.standardizedFileURL.pathComponents
    let start = folder.absoluteURL.standardizedFileURL.pathComponents
    let common = zip(goal, start).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: start.count - common) + goal[common...]).joined(
        separator: "/")
}

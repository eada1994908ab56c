import Foundation

/// What a stage of a plan says of how objects become others.
enum PlanMapping: Hashable {
    /// The path of a mapping model, from the plan's folder, and its line.
    case file(String, line: Int)
    case entities([PlanEntityMapping], line: Int)

    /// The same wherever it stands.
    var unplaced: PlanMapping {
        switch self {
        case .file(let path, _): .file(path, line: 0)
        case .entities(let entities, _): .entities(entities.map(\.unplaced), line: 0)
        }
    }

    /// The same for a plan elsewhere, given from the folder that paths began at.
    func moved(from folder: URL, beside plan: URL) -> PlanMapping {
        guard case .file(let path, let line) = self, !path.hasPrefix("/") else { return self }
        let here = folder.appending(path: path).relativePath
        return .file(
            relativePath(here, to: plan.deletingLastPathComponent()), line: line)
    }
}

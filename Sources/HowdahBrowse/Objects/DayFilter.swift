import Foundation
import HowdahModel

/// The filter for all objects of a day, from one that compares a date with the day's midnight.
struct DayFilter {
    let text: String

    /// The most bytes of a filter that is searched for mistakes. The time grows with the square.
    static let longest = 1_000

    /// - Returns: Nil for other filters.
    init?(_ filter: String, of entity: String, _ guide: ModelGuide) {
        guard filter.utf8.count <= Self.longest else { return nil }
        let form = /([\w.]+)\s*==?\s*(\d{4}-\d\d-\d\d)(?![\w.\-:]|\s\d\d:)/
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        let text = filter.replacing(form) { parts in
            guard guide.attribute(at: String(parts.1), of: entity)?.type.kind == .date,
                let day = try? Date("\(parts.2)T00:00:00Z", strategy: .iso8601),
                let next = calendar.date(byAdding: .day, value: 1, to: day)
            else { return String(parts.0) }
            let end = next.formatted(.iso8601).prefix(10)
            let range = "\(parts.1) >= \(parts.2) AND \(parts.1) < \(end)"
            return parts.0.count == filter.trimmingCharacters(in: .whitespaces).count ? range : "(\(range))"
        }
        guard text != filter, (try? PredicateTree(filter: text)) != nil else { return nil }
        self.text = text
    }
}

import Foundation
import HowdahModel

/// The filter for all objects of a day, from one that compares a date with the day.
struct DayFilter {
    let text: String

    /// - Returns: Nil for other filters.
    init?(_ filter: String, of entity: String, _ guide: ModelGuide) {
        let form = /\s*([\w.]+)\s*==?\s*(\d{4}-\d\d-\d\d)\s*/
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        guard let parts = filter.wholeMatch(of: form),
            guide.attribute(at: String(parts.1), of: entity)?.type.kind == .date,
            let day = try? Date("\(parts.2)T00:00:00Z", strategy: .iso8601),
            let next = calendar.date(byAdding: .day, value: 1, to: day)
        else { return nil }
        let end = next.formatted(.iso8601).prefix(10)
        text = "\(parts.1) >= \(parts.2) AND \(parts.1) < \(end)"
    }
}

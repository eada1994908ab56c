import Foundation
import HowdahModel

/// A filter in which dates are written as people type them, such as `hired >= 2026-11-29T10:00:00Z`.
///
/// The predicate format has no literal for a date. It gets a cast of the seconds since 2001 in its place.
struct FilterDates {
    /// The filter in the predicate format.
    let format: String
    /// The filter with a placeholder for each date.
    let template: String
    /// The seconds of each date.
    let seconds: [String]
    /// The places of the dates, in UTF-8, in the filter and in the format.
    private let replaced: [(typed: Range<Int>, written: Range<Int>)]

    /// - Throws: `BrowseError` for a date that no calendar has.
    init(_ filter: String) throws {
        var (format, template, all) = ("", "", [String]())
        var replaced: [(typed: Range<Int>, written: Range<Int>)] = []
        var place = filter.startIndex
        func offset(_ index: String.Index) -> Int { filter.utf8.distance(from: filter.startIndex, to: index) }
        for token in filter.matches(of: Self.token) {
            guard token.output.day != nil else { continue }
            format += filter[place..<token.range.lowerBound]
            template += filter[place..<token.range.lowerBound] + "%@"
            all.append(try Self.seconds(token.output))
            let cast = "CAST(\(all[all.count - 1]), 'NSDate')"
            let start = format.utf8.count
            format += cast
            replaced.append(
                (offset(token.range.lowerBound)..<offset(token.range.upperBound), start..<format.utf8.count))
            place = token.range.upperBound
        }
        self.format = format + filter[place...]
        self.template = template + filter[place...]
        seconds = all
        self.replaced = replaced
    }

    /// Returns the place in the filter of a place in the format.
    func typed(_ place: Int) -> Int {
        var shift = 0
        for (typed, written) in replaced where place >= written.lowerBound {
            if place < written.upperBound { return typed.lowerBound }
            shift = typed.upperBound - written.upperBound
        }
        return place + shift
    }

    private typealias Token = (
        Substring, day: Substring?, time: Substring?, seconds: Substring?, fraction: Substring?,
        zone: Substring?
    )

    /// A text in quotation marks, a word or number, or a date with a time or without one.
    private static var token: Regex<Token> {
        #/
        "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*'
        | (?<day>[0-9]{4}-[0-9][0-9]-[0-9][0-9])
          (?:[T\ ](?<time>[0-9][0-9]:[0-9][0-9])(?::(?<seconds>[0-9][0-9])(?<fraction>\.[0-9]{1,9})?)?(?<zone>Z|[+\-][0-9][0-9](?::?[0-9][0-9])?)?)?
          (?![\w.\-:])
        | [\w.$@%]+
        /#
    }

    /// Returns the seconds since 2001. A date without a zone is in UTC.
    private static func seconds(_ date: Token) throws -> String {
        let day = (date.day ?? "").split(separator: "-").compactMap { Int($0) }
        let time = (date.time ?? "00:00").split(separator: ":").compactMap { Int($0) }
        let second = date.seconds.flatMap { Int($0) } ?? 0
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = DateComponents(
            year: day[0], month: day[1], day: day[2], hour: time[0], minute: time[1], second: second)
        let zone = (date.zone ?? "Z").filter { $0 != ":" }
        let digits = zone.dropFirst()
        let (hours, minutes) = (Int(digits.prefix(2)) ?? 0, Int(digits.dropFirst(2)) ?? 0)
        guard parts.isValidDate(in: calendar), let found = calendar.date(from: parts), hours < 24,
            minutes < 60
        else {
            throw BrowseError(400, "'\(date.0)' is not a date. Write one such as 2026-11-29T10:00:00Z.")
        }
        let shift = (zone.hasPrefix("-") ? 1 : -1) * (hours * 3_600 + minutes * 60)
        let whole = Int(found.timeIntervalSinceReferenceDate) + shift
        let fraction = (date.fraction ?? "").dropFirst().prefix(6)
        if fraction.allSatisfy({ $0 == "0" }) { return String(whole) }
        // The fraction counts forward, also before 2001.
        let micros =
            whole * 1_000_000 + (Int(fraction.padding(toLength: 6, withPad: "0", startingAt: 0)) ?? 0)
        let (units, rest) = micros.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        return "\(micros < 0 ? "-" : "")\(units)." + String(rest + 1_000_000).dropFirst()
    }
}

extension PredicateTree {
    /// Reads a filter that may have dates as people type them.
    ///
    /// - Throws: `PredicateTreeError`; `BrowseError` for a date that no calendar has.
    init(filter: String) throws { try self.init(format: FilterDates(filter).format) }
}

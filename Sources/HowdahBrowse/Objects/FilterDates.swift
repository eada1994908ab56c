import HowdahModel
import PQClient

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
    /// The dates as they were typed.
    let typed: [String]
    /// The places of the dates, in UTF-8, in the filter and in the format.
    private let replaced: [(typed: Range<Int>, written: Range<Int>)]

    /// - Throws: `PredicateTreeError` for a date that no calendar has.
    init(_ filter: String) throws {
        var (format, template, all, typed) = ("", "", [String](), [String]())
        var replaced: [(typed: Range<Int>, written: Range<Int>)] = []
        var place = filter.startIndex
        func offset(_ index: String.Index) -> Int { filter.utf8.distance(from: filter.startIndex, to: index) }
        for token in filter.matches(of: Self.token) {
            guard token.output.day != nil else { continue }
            format += filter[place..<token.range.lowerBound]
            template += filter[place..<token.range.lowerBound] + "%@"
            all.append(try Self.seconds(token.output))
            typed.append(String(token.output.0))
            let cast = "CAST(\(all[all.count - 1]), 'NSDate')"
            let start = format.utf8.count
            format += cast
            replaced.append(
                (offset(token.range.lowerBound)..<offset(token.range.upperBound), start..<format.utf8.count))
            place = token.range.upperBound
        }
        self.format = format + filter[place...]
        self.template = template + filter[place...]
        (seconds, self.typed) = (all, typed)
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

    /// The microseconds from 2000 to 2001.
    private static let year2000 = 366 * 86_400_000_000

    /// Returns the seconds since 2001, by the calendar of the server. A date without a zone is in UTC.
    private static func seconds(_ date: Token) throws -> String {
        let zone = date.zone.map(String.init) ?? "Z"
        let digits = zone.filter(\.isNumber)
        let offset =
            digits.isEmpty
            ? "Z" : "\(zone.prefix(1))\(digits.prefix(2)):\(digits.count > 2 ? digits.suffix(2) : "00")"
        let text =
            "\(date.day ?? "")T\(date.time ?? "00:00"):\(date.seconds ?? "00")\((date.fraction ?? "").prefix(7))\(offset)"
        guard let found = Timestamp.microseconds(iso8601: text) else {
            throw PredicateTreeError(
                .argumentType, "'\(date.0)' is not a date. Write one such as 2026-11-29T10:00:00Z.",
                token: String(date.0))
        }
        let micros = found - Int64(year2000)
        let (units, rest) = micros.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        let sign = micros < 0 ? "-" : ""
        return rest == 0 ? "\(sign)\(units)" : "\(sign)\(units)." + String(rest + 1_000_000).dropFirst()
    }
}

extension PredicateTree {
    /// Reads a filter that may have dates as people type them.
    ///
    /// - Throws: `PredicateTreeError`, also for a date that no calendar has.
    init(filter: String) throws { try self.init(format: FilterDates(filter).format) }

    /// Returns a key path as a filter has it: names that are words of predicates, such as `in` and `nil`, have a mark.
    static func filterPath(_ path: String) -> String {
        Expression.keyPath(path.split(separator: ".").map(String.init)).description
    }
}

/// The part of a file that a client asks for with `Range` (RFC 9110, one range).
enum ByteRange: Equatable {
    case whole
    case part(Range<Int>)
    case outside

    /// Other units and several ranges are ignored, as the standard allows.
    init(_ header: String?, of count: Int) {
        self = .whole
        guard let header, header.hasPrefix("bytes="), !header.contains(",") else { return }
        let ends = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }) else {
            return
        }
        switch (Int(ends[0]), Int(ends[1])) {
        case (let first?, let last) where last ?? first >= first:
            let end = last.map { min($0, count - 1) + 1 } ?? count
            self = first < count ? .part(first..<end) : .outside
        case (nil, let suffix?) where ends[0].isEmpty:
            self = suffix > 0 && count > 0 ? .part(max(0, count - suffix)..<count) : .outside
        default: return
        }
    }
}

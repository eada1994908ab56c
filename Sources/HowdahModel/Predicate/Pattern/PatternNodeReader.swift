/// A reader of the text of a ``PatternNode``, from left to right.
struct PatternNodeReader {
    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    var isAtEnd: Bool { position == scalars.count }
    private var next: Unicode.Scalar? { isAtEnd ? nil : scalars[position] }

    private mutating func take(_ text: String) -> Bool {
        let wanted = Array(text.unicodeScalars)
        guard scalars[position...].starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }

    mutating func choice() -> PatternNode? {
        var branches: [[PatternNode]] = [[]]
        while let scalar = next, scalar != ")" {
            if take("|") {
                branches.append([])
                continue
            }
            guard let part = atom().flatMap({ repetition($0) }) else { return nil }
            branches[branches.count - 1].append(part)
        }
        return .choice(branches)
    }

    private mutating func atom() -> PatternNode? {
        if take("(?:") {
            guard let inner = choice(), take(")") else { return nil }
            return inner
        }
        if take("[") { return bracket() }
        return single().map { .scalars([$0.value...$0.value], isNegated: false) }
    }

    /// Reads one scalar, escaped or not.
    private mutating func single() -> Unicode.Scalar? {
        guard let scalar = next else { return nil }
        position += 1
        guard scalar == "\\" else { return scalar }
        guard let escaped = next else { return nil }
        position += 1
        switch escaped {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "f": return "\u{C}"
        default: return escaped
        }
    }

    private mutating func bracket() -> PatternNode? {
        let isNegated = take("^")
        var ranges: [ClosedRange<UInt32>] = []
        while next != "]" {
            guard let low = single() else { return nil }
            if next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" {
                position += 1
                guard let high = single(), low.value <= high.value else { return nil }
                ranges.append(low.value...high.value)
            } else {
                ranges.append(low.value...low.value)
            }
        }
        position += 1
        return .scalars(ranges, isNegated: isNegated)
    }

    private mutating func repetition(_ node: PatternNode) -> PatternNode? {
        if take("*") { return .repeated(node, least: 0, most: nil) }
        if take("+") { return .repeated(node, least: 1, most: nil) }
        if take("?") { return .repeated(node, least: 0, most: 1) }
        guard take("{") else { return node }
        guard let end = scalars[position...].firstIndex(of: "}") else { return nil }
        let bounds = scalars[position..<end].map(String.init).joined()
            .split(separator: ",", omittingEmptySubsequences: false)
        position = end + 1
        guard let least = bounds.first.flatMap({ Int($0) }) else { return nil }
        if bounds.count == 1 { return .repeated(node, least: least, most: least) }
        return .repeated(node, least: least, most: Int(bounds[1]))
    }
}

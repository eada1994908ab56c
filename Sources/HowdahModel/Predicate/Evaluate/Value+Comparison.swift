package import Foundation

extension Value {
    /// The position of one value relative to another.
    package enum Order: Hashable, Sendable {
        case less, equal, greater

        init<T: Comparable>(_ a: T, _ b: T) { self = a < b ? .less : a == b ? .equal : .greater }
    }

    /// Returns the order of two values in the database; nil if one is null or the types do not compare.
    ///
    /// Booleans count as 0 and 1, and Floats are widened. Integers compare with Doubles exactly. Decimals
    /// compare with the shortest decimal that reads as the Double. NaN equals itself and is greater than all
    /// numbers. Strings compare by Unicode scalars, and with UUIDs and URIs as these. References compare by
    /// key. Arrays are equal or do not compare.
    package func order(relativeTo other: Value) -> Order? {
        switch (self, other) {
        case (.null, _), (_, .null): return nil
        case (.string(let a), .string(let b)): return Self.order(a.utf8, b.utf8)
        case (.date(let a), .date(let b)): return Order(a, b)
        case (.uuid(let a), .uuid(let b)): return Self.order(a.bytes, b.bytes)
        case (.data(let a), .data(let b)): return Self.order(a, b)
        case (.uri(let a), .uri(let b)): return Self.order(a.absoluteString.utf8, b.absoluteString.utf8)
        case (.uri(let a), .string(let b)): return Self.order(a.absoluteString.utf8, b.utf8)
        case (.string(let a), .uri(let b)): return Self.order(a.utf8, b.absoluteString.utf8)
        case (.uuid(let a), .string(let b)): return UUID(uuidString: b).map { Self.order(a.bytes, $0.bytes) }
        case (.string(let a), .uuid(let b)): return UUID(uuidString: a).map { Self.order($0.bytes, b.bytes) }
        case (.reference(let a), .reference(let b)): return Order(a.key, b.key)
        case (.array(let a), .array(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { $0.order(relativeTo: $1) == .equal }
                ? .equal : nil
        default:
            guard let a = number, let b = other.number else { return nil }
            return a.order(relativeTo: b)
        }
    }

    private static func order<T: Sequence<UInt8>, U: Sequence<UInt8>>(_ a: T, _ b: U) -> Order {
        var other = b.makeIterator()
        for byte in a {
            guard let rival = other.next() else { return .greater }
            if byte != rival { return byte < rival ? .less : .greater }
        }
        return other.next() == nil ? .equal : .less
    }

    private var number: Number? {
        switch self {
        case .bool(let bool): .int(bool ? 1 : 0)
        case .int(let integer): .int(integer)
        case .float(let float): .double(Double(float))
        case .double(let double): .double(double)
        case .decimal(let decimal): .decimal(decimal)
        default: nil
        }
    }

    private enum Number {
        case int(Int64)
        case double(Double)
        case decimal(Decimal)

        func order(relativeTo other: Number) -> Order {
            switch (self, other) {
            case (.int(let a), .int(let b)): return Order(a, b)
            case (.double(let a), .double(let b)): return Self.order(a, b)
            case (.int(let a), .double(let b)): return Self.order(a, b)
            case (.double(let a), .int(let b)):
                switch Self.order(b, a) {
                case .less: return .greater
                case .equal: return .equal
                case .greater: return .less
                }
            case (.decimal(let a), .decimal(let b)): return Self.order(a, b)
            case (.int(let a), .decimal(let b)): return Self.order(Decimal(a), b)
            case (.decimal(let a), .int(let b)): return Self.order(a, Decimal(b))
            case (.decimal(let a), .double(let b)):
                if let b = b.shortestDecimal { return Self.order(a, b) }
                return Self.order(Self.double(a), b)
            case (.double(let a), .decimal(let b)):
                if let a = a.shortestDecimal { return Self.order(a, b) }
                return Self.order(a, Self.double(b))
            }
        }

        private static func order(_ a: Double, _ b: Double) -> Order {
            a.isNaN || b.isNaN ? Order(a.isNaN ? 1 : 0, b.isNaN ? 1 : 0) : Order(a, b)
        }

        /// Compares exactly, even beyond 2^53, where not every integer is a Double.
        private static func order(_ a: Int64, _ b: Double) -> Order {
            b.isNaN || b >= 0x1p63 ? .less : b < -0x1p63 ? .greater : exact(a, b)
        }

        private static func exact(_ a: Int64, _ b: Double) -> Order {
            let whole = Int64(b.rounded(.down))
            return a == whole && b > b.rounded(.down) ? .less : Order(a, whole)
        }

        private static func order(_ a: Decimal, _ b: Decimal) -> Order {
            a.isNaN || b.isNaN ? Order(a.isNaN ? 1 : 0, b.isNaN ? 1 : 0) : Order(a, b)
        }

        /// Returns the nearest Double, read from the digits, because Decimal's own conversion rounds more
        /// than once.
        private static func double(_ decimal: Decimal) -> Double { Double("\(decimal)") ?? .nan }
    }
}

extension Double {
    /// The shortest decimal that reads as this number, and thus the one that its writer wrote.
    ///
    /// It is nil for infinities and NaN, and if a Decimal cannot hold the number.
    package var shortestDecimal: Decimal? {
        guard isFinite, self == 0 || (1e-90...1e90).contains(magnitude) else { return nil }
        return Decimal(string: description, locale: nil)
    }
}

extension UUID {
    fileprivate var bytes: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }
}

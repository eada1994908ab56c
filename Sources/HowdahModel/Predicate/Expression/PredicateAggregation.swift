internal import Foundation

/// The functions over collections on values in memory; the database's aggregates give the same results.
enum PredicateAggregation {
    /// Returns the result of a function. Members that are nil are only counted.
    ///
    /// - Parameter zero: A sum of nothing, if the kind of its numbers is known.
    /// - Throws: `argumentType` if the values are not numbers, or cannot be ordered.
    static func value(
        _ function: PredicateTree.Function, _ values: [Value], zero: Value? = nil
    ) throws(PredicateTreeError) -> Value {
        if function == .count { return .int(Int64(values.count)) }
        let present = values.filter { !$0.isNull }
        switch function {
        case .sum: return present.isEmpty ? zero ?? .int(0) : try sum(present, function)
        case .average:
            guard !present.isEmpty else { return .null }
            let sum = try sum(present, function)
            return quotient(of: sum, by: present.count)
        default:
            guard var best = present.first else { return .null }
            for value in present {
                guard value.isOrderedByFunctions, let order = value.order(relativeTo: best) else {
                    throw PredicateTreeError(
                        .argumentType,
                        "\(function.rawValue) needs numbers, dates or strings of one kind. Use only values of "
                            + "one kind.")
                }
                if order == (function == .min ? .less : .greater) { best = value }
            }
            return PredicateNumber(best)?.value ?? best
        }
    }

    /// Returns each value once, by equality of predicates.
    static func distinct(_ values: [Value]) -> [Value] {
        var result: [Value] = []
        for value in values where !result.contains(where: { PreparedComparison.equal($0, value) }) {
            result.append(value)
        }
        return result
    }

    private static func sum(
        _ values: [Value], _ function: PredicateTree.Function
    ) throws(PredicateTreeError) -> Value {
        var integers: Int128 = 0
        var decimals = ExactDecimal.Sum()
        var doubles: [Double] = []
        var kinds: Set<Int> = []
        for value in values {
            guard let number = PredicateNumber(value) else {
                throw PredicateTreeError(
                    .argumentType,
                    "\(function.rawValue) needs numbers. Use only numbers.")
            }
            kinds.insert(number.rank)
            switch number {
            case .int(let integer): integers += Int128(integer)
            case .decimal(let decimal): decimals.add(decimal)
            case .double(let double): doubles.append(double)
            }
        }
        guard kinds.count < 2 else {
            throw PredicateTreeError(
                .argumentType,
                "\(function.rawValue) needs numbers of one kind. Use only integers, only Decimals or only "
                    + "Doubles.")
        }
        switch kinds.first {
        case nil: return .int(0)
        case 0?: return Int64(exactly: integers).map(Value.int) ?? .null
        case 1?: return decimals.value.map(Value.decimal) ?? .null
        default:
            guard doubles.allSatisfy({ $0.magnitude <= PredicateNumber.summandLimit }) else { return .null }
            // In the database's order, because the order decides how it is rounded.
            return .double(doubles.sorted().reduce(0, +))
        }
    }

    private static func quotient(of sum: Value, by count: Int) -> Value {
        switch sum {
        case .int(let integer): .double(Double(integer) / Double(count))
        case .decimal(let decimal):
            ExactDecimal.quotient(decimal, Decimal(count)).map(Value.decimal) ?? .null
        case .double(let double):
            double == 0 || double.magnitude >= 1 / PredicateNumber.summandLimit
                ? .double(double / Double(count)) : .null
        default: .null
        }
    }
}

extension Value {
    /// Indicates whether `min:` and `max:` accept the value.
    fileprivate var isOrderedByFunctions: Bool {
        switch self {
        case .bool, .int, .double, .float, .decimal, .string, .date: true
        default: false
        }
    }
}

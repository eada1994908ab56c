import Foundation

extension PredicateExpressions.RangeExpressionContains: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        let bounds: RangeBounds
        if let range = range as? any RangeNode {
            bounds = try range.lowerBounds(in: &scope)
        } else if let range: any CapturedRange = try scope.lower(range).captured() {
            bounds = range.bounds
        } else {
            throw .unsupportedNode(self)
        }
        return .condition(try bounds.contain(try scope.lower(element)))
    }
}

/// The bounds of a range; either may be missing.
struct RangeBounds {
    var lowest: LoweredValue?
    var highest: LoweredValue?
    var includesHighest = true

    func contain(_ value: LoweredValue) throws(PredicateTreeError) -> PredicateTree.Node {
        if case .choice(let test, let a, let b) = value {
            return .conditional(test, try contain(a), otherwise: try contain(b))
        }
        if includesHighest, case .path = value, case .constant(let low) = lowest,
            case .constant(let high) = highest
        {
            return try value.compared(.between, .constant([low, high]))
        }
        var node = PredicateTree.Node.constant(true)
        if let lowest { node = try value.compared(.greaterThanOrEqual, lowest) }
        guard let highest else { return node }
        let upper = try value.compared(includesHighest ? .lessThanOrEqual : .lessThan, highest)
        return .both(node, upper)
    }
}

/// A range with its bounds in the predicate.
private protocol RangeNode {
    func lowerBounds(in scope: inout LoweringScope) throws(PredicateTreeError) -> RangeBounds
}

extension PredicateExpressions.ClosedRange: RangeNode {
    fileprivate func lowerBounds(in scope: inout LoweringScope) throws(PredicateTreeError) -> RangeBounds {
        RangeBounds(lowest: try scope.lower(lower), highest: try scope.lower(upper))
    }
}

extension PredicateExpressions.Range: RangeNode {
    fileprivate func lowerBounds(in scope: inout LoweringScope) throws(PredicateTreeError) -> RangeBounds {
        RangeBounds(
            lowest: try scope.lower(lower), highest: try scope.lower(upper), includesHighest: false)
    }
}

/// A range that was captured.
private protocol CapturedRange {
    var bounds: RangeBounds { get }
}

extension ClosedRange: CapturedRange {
    fileprivate var bounds: RangeBounds {
        RangeBounds(lowest: .constant(lowerBound), highest: .constant(upperBound))
    }
}

extension Range: CapturedRange {
    fileprivate var bounds: RangeBounds {
        RangeBounds(lowest: .constant(lowerBound), highest: .constant(upperBound), includesHighest: false)
    }
}

extension PartialRangeFrom: CapturedRange {
    fileprivate var bounds: RangeBounds { RangeBounds(lowest: .constant(lowerBound)) }
}

extension PartialRangeThrough: CapturedRange {
    fileprivate var bounds: RangeBounds { RangeBounds(highest: .constant(upperBound)) }
}

extension PartialRangeUpTo: CapturedRange {
    fileprivate var bounds: RangeBounds {
        RangeBounds(highest: .constant(upperBound), includesHighest: false)
    }
}

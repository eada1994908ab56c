import Foundation

/// What a unit of a workload costs, apart from time: the same on every machine with the same compiler.
struct Costs: Codable, Equatable {
    /// Of the whole workload.
    var statements: Int
    var roundTrips: Int
    /// Of one unit.
    var allocations: Double
    var instructions: Double
    /// Those of them that look for types and conformances at run time, which code without a version of its own for its
    /// types does.
    var generics: Double
    /// Of one unit, without a limit; nil if they were not counted.
    var systemCalls: Double?

    /// The names and numbers in which these costs are above others, as text.
    func excess(over limit: Costs) -> [String] {
        func excess(_ name: String, _ value: Double, _ limit: Double) -> String? {
            value > limit ? "\(name) \(Self.text(value)) > \(Self.text(limit))" : nil
        }
        return [
            excess("statements", Double(statements), Double(limit.statements)),
            excess("round trips", Double(roundTrips), Double(limit.roundTrips)),
            excess("allocations", allocations, limit.allocations),
            excess("instructions", instructions, limit.instructions),
            excess("instructions for generic code", generics, limit.generics),
        ].compactMap(\.self)
    }

    /// The limits for a program with these costs: what a run varies by is allowed.
    var limits: Costs {
        Costs(
            statements: statements, roundTrips: roundTrips + max(2, roundTrips / 100),
            allocations: Self.rounded(allocations * 1.03 + 0.05),
            instructions: Self.rounded(instructions * 1.03), generics: Self.rounded(generics * 1.03 + 2))
    }

    private static func rounded(_ value: Double) -> Double {
        value >= 100 ? value.rounded(.up) : (value * 100).rounded(.up) / 100
    }

    static func text(_ value: Double) -> String {
        value >= 100 || value == value.rounded()
            ? String(format: "%.0f", value) : String(format: "%.2f", value)
    }
}

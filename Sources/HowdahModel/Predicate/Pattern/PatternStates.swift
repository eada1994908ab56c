/// The sets of places that matches have reached.
///
/// A table has the set that follows each, for each class of scalars.
struct PatternStates: Sendable {
    /// The state without places, from which nothing matches.
    static let dead = 0
    static let start = 1
    /// The maximum number of entries of the table, and of places of all states.
    private static let limit = 16_384

    private let width: Int
    private let last: Int
    private var places: [[Int]] = []
    private var placeCount = 0
    private var accepting: [Bool] = []
    private var numbers: [[Int]: Int] = [:]
    /// For each state and class the following state; -1 if unknown.
    private var table: [Int] = []
    /// The number of entries known.
    private(set) var entries = 0

    /// Begins with the first two states.
    init(_ program: PatternProgram, classes: Int) {
        width = classes
        last = program.instructions.count - 1
        _ = number(of: [])
        _ = number(of: PatternRun(program).places)
    }

    /// The state after one scalar of a class; negative if unknown.
    func following(_ state: Int, _ column: Int) -> Int { table[state * width + column] }

    func isAccepting(_ state: Int) -> Bool { accepting[state] }

    func places(of state: Int) -> [Int] { places[state] }

    /// Records the places that follow a state; nil if the table is full.
    mutating func note(_ reached: [Int], after state: Int, _ column: Int) -> Int? {
        guard let number = number(of: reached.sorted()) else { return nil }
        table[state * width + column] = number
        entries += 1
        return number
    }

    private mutating func number(of reached: [Int]) -> Int? {
        if let number = numbers[reached] { return number }
        let number = places.count
        let isSmall = max((number + 1) * width, placeCount + reached.count) <= Self.limit
        guard isSmall || number <= Self.start else { return nil }
        placeCount += reached.count
        numbers[reached] = number
        places.append(reached)
        accepting.append(reached.contains(last))
        table += repeatElement(-1, count: width)
        return number
    }
}

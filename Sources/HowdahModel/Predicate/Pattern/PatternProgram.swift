/// A regular expression as the instructions of a nondeterministic automaton.
struct PatternProgram: Sendable {
    enum Instruction: Sendable {
        /// Takes this scalar and continues with the next instruction.
        case scalar(UInt32)
        /// Takes a scalar of the set with this number and continues with the next instruction.
        case member(of: Int)
        /// Continues with the next instruction and with the one at this distance.
        case branch(Int)
        /// Continues with the instruction at this distance.
        case jump(Int)
        case accept
    }

    /// The maximum number of instructions of a program.
    static let limit = 20_000

    private(set) var instructions: [Instruction] = []
    private(set) var sets: [ScalarSet] = []

    /// Compiles a pattern. If it takes more instructions than the limit, the program is nil.
    init?(_ root: PatternNode) {
        guard let size = Self.size(of: root), size < Self.limit else { return nil }
        instructions.reserveCapacity(size + 1)
        write(root)
        instructions.append(.accept)
    }

    /// Returns the number of instructions for a node; nil if it exceeds the limit.
    private static func size(of node: PatternNode) -> Int? {
        var size = 0
        switch node {
        case .scalars: size = 1
        case .choice(let branches):
            size = 2 * (branches.count - 1)
            for part in branches.joined() {
                guard size <= limit, let more = Self.size(of: part) else { return nil }
                size += more
            }
        case .repeated(let inner, let least, let most):
            guard let once = Self.size(of: inner) else { return nil }
            // Nothing stays nothing, however often it is repeated.
            if once == 0 { return 0 }
            size = least * once + (most.map { ($0 - least) * (once + 1) } ?? once + 2)
        }
        return size <= limit ? size : nil
    }

    private mutating func write(_ node: PatternNode) {
        switch node {
        case .scalars(let ranges, let isNegated):
            if !isNegated, ranges.count == 1, ranges[0].count == 1 {
                instructions.append(.scalar(ranges[0].lowerBound))
            } else {
                instructions.append(.member(of: sets.count))
                sets.append(ScalarSet(ranges, isNegated: isNegated))
            }
        case .choice(let branches): write(branches)
        case .repeated(let inner, let least, let most): write(inner, least, most)
        }
    }

    private mutating func write(_ branches: [[PatternNode]]) {
        var ends: [Int] = []
        for (position, branch) in branches.enumerated() {
            let start = instructions.count
            let isLast = position == branches.count - 1
            if !isLast { instructions.append(.accept) }
            for part in branch { write(part) }
            if !isLast {
                ends.append(instructions.count)
                instructions.append(.accept)
                instructions[start] = .branch(instructions.count - start)
            }
        }
        for end in ends { instructions[end] = .jump(instructions.count - end) }
    }

    /// Writes the repeated part once and copies it; distances stay as they are.
    private mutating func write(_ inner: PatternNode, _ least: Int, _ most: Int?) {
        let start = instructions.count
        write(inner)
        let part = instructions[start...]
        instructions.removeSubrange(start...)
        if part.isEmpty { return }
        for _ in 0..<least { instructions += part }
        if let most {
            let size = part.count + 1
            for left in stride(from: most - least, to: 0, by: -1) {
                instructions.append(.branch(left * size))
                instructions += part
            }
        } else {
            instructions.append(.branch(part.count + 2))
            instructions += part
            instructions.append(.jump(-part.count - 1))
        }
    }
}

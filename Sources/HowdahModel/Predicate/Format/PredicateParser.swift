/// A parser that builds a tree of a predicate format.
///
/// The open parentheses of conditions are a list instead of the call stack. The list also has the finished
/// parts of each. The parentheses of operands are counted. So no format can exhaust a thread's stack.
struct PredicateParser {
    var lexer: PredicateLexer
    var token: PredicateToken
    let arguments: [(any Sendable)?]
    /// The variables whose methods FUNCTION may name, as in expressions of mapping models.
    ///
    /// If it is nil, FUNCTION may not name a variable's method.
    let receivers: Set<String>?
    var nextArgument = 0
    /// The error of the first operands that do not suit their operator.
    ///
    /// The format is still read to its end, so that its key paths are known.
    var complaint: PredicateTreeError?
    private var frames = [Frame()]
    /// The number of open parentheses, NOTs, and operands inside others.
    private var nesting = 0
    private var terms = 0
    /// Indicates whether the current condition is inside an operand, and ends at a comma or parenthesis.
    private var isInner = false

    /// The parts of one parenthesis: finished members of OR, of the current AND, and pending NOTs.
    private struct Frame {
        var opening: PredicateToken?
        var alternatives: [PredicateTree.Node] = []
        var conditions: [PredicateTree.Node] = []
        var negations = 0

        var isEmpty: Bool { alternatives.isEmpty && conditions.isEmpty && negations == 0 }

        mutating func add(_ node: PredicateTree.Node) {
            conditions.append((0..<negations).reduce(node) { node, _ in .not(node) })
            negations = 0
        }

        mutating func endAlternative() {
            alternatives.append(.all(conditions))
            conditions = []
        }

        mutating func finish() -> PredicateTree.Node {
            endAlternative()
            return .any(alternatives)
        }
    }

    init(
        format: String, arguments: [(any Sendable)?], receivers: Set<String>? = nil
    ) throws(PredicateTreeError) {
        guard format.utf8.count <= PredicateTree.Limit.formatBytes else {
            throw PredicateTreeError(
                .tooLarge,
                "The format is longer than \(PredicateTree.Limit.formatBytes) "
                    + "bytes. Pass values as arguments.")
        }
        lexer = PredicateLexer(format: format)
        token = try lexer.next()
        self.arguments = arguments
        self.receivers = receivers
    }

    /// Parses the whole format as a condition.
    ///
    /// - Throws: The first error of the format.
    mutating func condition() throws(PredicateTreeError) -> PredicateTree.Node {
        try whole { (parser) throws(PredicateTreeError) in try parser.parse() }
    }

    /// Parses the whole format as one operand.
    ///
    /// - Throws: The first error of the format.
    mutating func expression() throws(PredicateTreeError) -> PredicateTree.Expression {
        try whole { (parser) throws(PredicateTreeError) in try parser.wholeOperand() }
    }

    private mutating func whole<Result>(
        _ read: (inout Self) throws(PredicateTreeError) -> Result
    ) throws(PredicateTreeError) -> Result {
        let result: Result
        do {
            result = try read(&self)
        } catch {
            throw complaint ?? error
        }
        if let complaint { throw complaint }
        return result
    }

    private mutating func wholeOperand() throws(PredicateTreeError) -> PredicateTree.Expression {
        let expression = try operand()
        guard token.kind == .end else {
            throw refusal()
                ?? error(
                    .syntax,
                    "Expected an operator or the end after an expression. Add an "
                        + "operator, or remove the rest.")
        }
        try checkArgumentCount()
        return expression
    }

    private func checkArgumentCount() throws(PredicateTreeError) {
        guard nextArgument != arguments.count else { return }
        throw error(
            .argumentCount,
            "The format has \(nextArgument) \(nextArgument == 1 ? "placeholder" : "placeholders"), but "
                + "\(arguments.count) arguments were given. Remove the last arguments, or add placeholders.",
            argument: nextArgument + 1)
    }

    mutating func advance() throws(PredicateTreeError) { token = try lexer.next() }

    func error(_ code: PredicateTreeError.Code, _ message: String, argument: Int? = nil) -> PredicateTreeError
    {
        lexer.error(code, message, token.range, argument: argument)
    }

    mutating func parse() throws(PredicateTreeError) -> PredicateTree.Node {
        while true {
            guard let operand = try startOfTerm() else { continue }
            var item = operand
            // Each round closes one parenthesis.
            while true {
                if case .expression(let expression, let modifier) = item {
                    if token.isSymbol(")"), modifier == .direct, let frame = frames.last,
                        frame.opening != nil,
                        frame.isEmpty
                    {
                        frames.removeLast()
                        nesting -= 1
                        try advance()
                        item = .expression(try continued(expression), modifier)
                        continue
                    }
                    item = .node(try comparison(lhs: expression, modifier: modifier))
                }
                guard case .node(let node) = item else { continue }
                nesting -= frames[frames.count - 1].negations
                frames[frames.count - 1].add(node)
                guard token.isSymbol(")"), frames.count > 1 else { break }
                item = .node(frames[frames.count - 1].finish())
                frames.removeLast()
                nesting -= 1
                try advance()
            }
            if try isFinished() { return frames[0].finish() }
        }
    }

    private enum Item {
        case node(PredicateTree.Node)
        case expression(PredicateTree.Expression, PredicateTree.Modifier)
    }

    /// Reads the beginning of a condition; nil after a parenthesis or NOT, which are kept in `frames`.
    private mutating func startOfTerm() throws(PredicateTreeError) -> Item? {
        if token.isSymbol("(") {
            try nest()
            frames.append(Frame(opening: token))
            try advance()
            return nil
        }
        if token.isSymbol("!") || token.keyword == "NOT" {
            try nest()
            frames[frames.count - 1].negations += 1
            try advance()
            return nil
        }
        terms += 1
        guard terms <= PredicateTree.Limit.terms else {
            throw .tooLarge(format: lexer.format, position: token.range.lowerBound)
        }
        switch token.keyword {
        case "TRUEPREDICATE", "FALSEPREDICATE":
            let holds = token.keyword == "TRUEPREDICATE"
            try advance()
            return .node(.constant(holds))
        case let keyword?:
            guard let modifier = PredicateKeyword.modifiers[keyword] else { break }
            try advance()
            return .expression(try operand(), modifier)
        case nil: break
        }
        return .expression(try operand(), .direct)
    }

    /// Parses a condition inside an operand, up to the comma or parenthesis behind it.
    mutating func innerCondition() throws(PredicateTreeError) -> PredicateTree.Node {
        try nest()
        let outer = (frames, isInner)
        (frames, isInner) = ([Frame()], true)
        let node = try parse()
        (frames, isInner) = outer
        unnest()
        return node
    }

    mutating func unnest() { nesting -= 1 }

    mutating func nest() throws(PredicateTreeError) {
        nesting += 1
        guard nesting <= PredicateTree.Limit.depth else {
            throw .tooDeep(format: lexer.format, position: token.range.lowerBound)
        }
    }

    /// Reads the end of a condition; true at the format's end.
    private mutating func isFinished() throws(PredicateTreeError) -> Bool {
        switch token.kind {
        case .symbol("&&"): break
        case .symbol("||"): frames[frames.count - 1].endAlternative()
        case .word where token.keyword == "AND": break
        case .word where token.keyword == "OR": frames[frames.count - 1].endAlternative()
        case .symbol(","), .symbol(")"):
            if isInner, frames.count == 1 { return true }
            guard token.isSymbol(")") else { throw unfinished() }
            throw error(
                .syntax, "The closing parenthesis has no opening parenthesis. Remove the parenthesis.")
        case .end:
            if let opening = frames[frames.count - 1].opening {
                throw lexer.error(.syntax, "The parenthesis is not closed. Add ).", opening.range)
            }
            // What the condition stands in misses its own end.
            if isInner { return true }
            try checkArgumentCount()
            return true
        default: throw unfinished()
        }
        try advance()
        return false
    }

    private func unfinished() -> PredicateTreeError {
        refusal()
            ?? error(
                .syntax,
                "Expected AND, OR or the end after a condition. Add AND or OR, or remove "
                    + "the rest.")
    }
}

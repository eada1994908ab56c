/// The lines of a plan that the server returned.
struct PlanText {
    private let lines: [String]

    init(_ lines: [String]) { self.lines = lines }

    /// The number of rows that the planner expects without the limit of the page.
    var estimate: Int? {
        let nodes = lines.filter { $0.contains("rows=") }
        // A page behind a position has a branch with a limit for rows with NULL.
        if nodes.count > 2, nodes[1].contains("->  Append"), nodes[2].contains("->  Limit") {
            let limit = nodes[2].prefix { $0 == " " } + "->  Limit"
            let branches = zip(nodes.dropFirst(2), nodes.dropFirst(3)).filter { $0.0.hasPrefix(limit) }
            return branches.reduce(0) { $0 + (Self.rows(in: $1.1) ?? 0) }
        }
        guard let line = nodes.count > 1 && nodes[0].contains("Limit") ? nodes[1] : nodes.first else {
            return nil
        }
        return Self.rows(in: line)
    }

    /// The table that the plan reads row by row for a filter or an order, if that costs as much as reading 10,000 rows
    /// at least; nil otherwise.
    var scannedTable: String? {
        guard isSorted || lines.contains(where: { $0.contains("Filter: ") }) else { return nil }
        for (index, line) in lines.enumerated() {
            guard
                let found = line.firstMatch(
                    of: /(Seq Scan|Index Scan using .+?) on (.+?) t[0-9_]+ +\(cost=[0-9.]+\.\.([0-9]+)/),
                let cost = Int(found.3), cost >= 100
            else { continue }
            let details = lines[(index + 1)...].prefix { !$0.contains("->") }
            if details.contains(where: { $0.contains("Index Cond: ") }) { continue }
            return String(found.2).replacing(/^"|"$/, with: "").replacing("\"\"", with: "\"")
        }
        return nil
    }

    /// Returns the share of a table's rows that the server reads until a page is full: all if it sorts them, or finds
    /// fewer.
    func shareRead(forPageOf limit: Int, isFull: Bool) -> Double {
        guard isFull, !isSorted, let estimate, estimate > 0 else { return 1 }
        return min(1, Double(limit) / Double(estimate))
    }

    /// Indicates whether the plan sorts all rows. With a presorted key, it sorts only those that are equal by it.
    private var isSorted: Bool {
        lines.indices.contains { index in
            lines[index].contains("Sort Key: ")
                && !lines[(index + 1)...].prefix(1).contains { $0.contains("Presorted Key: ") }
        }
    }

    private static func rows(in line: String) -> Int? {
        guard let part = line.split(separator: "rows=").dropFirst().first else { return nil }
        return Int(part.prefix { $0.isNumber })
    }
}

/// The lines of a plan that the server returned.
struct PlanText {
    private let lines: [String]

    init(_ lines: [String]) { self.lines = lines }

    /// The number of rows that the planner expects without the limit of the page.
    var estimate: Int? {
        let nodes = lines.filter { $0.contains("rows=") }
        guard let line = nodes.count > 1 && nodes[0].contains("Limit") ? nodes[1] : nodes.first else {
            return nil
        }
        return Self.rows(in: line)
    }

    /// A warning if the plan reads a whole table of more than 10,000 rows; nil otherwise.
    var warning: String? {
        for line in lines where line.contains("Seq Scan on ") {
            guard let rows = Self.rows(in: line), rows > 10_000 else { continue }
            let table = line.split(separator: "Seq Scan on ").last?.split(separator: " ").first ?? ""
            return "The server reads the whole table \(table). Add a fetch index for the properties of the "
                + "filter or the order."
        }
        return nil
    }

    private static func rows(in line: String) -> Int? {
        guard let part = line.split(separator: "rows=").dropFirst().first else { return nil }
        return Int(part.prefix { $0.isNumber })
    }
}

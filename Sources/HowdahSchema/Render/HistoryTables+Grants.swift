extension HistoryTables {
    /// The rights that a program needs on each table, by its name without the schema.
    package static func rights(onlyReading: Bool) -> [String: [String]] {
        let reading = Dictionary(
            uniqueKeysWithValues: ["", "_current", "_state", "_era", "_consumer"].map {
                (prefix + $0, ["SELECT"])
            })
        if onlyReading { return reading }
        return reading.merging([
            prefix: ["SELECT", "INSERT"], prefix + "_consumer": ["SELECT", "UPDATE", "DELETE"],
        ]) { _, writing in writing }
    }

    /// Lets a role read history.
    ///
    /// - Parameter role: The quoted name, or PUBLIC.
    package func readingGrants(to role: String) -> [String] {
        ["GRANT SELECT ON \(history), \(current), \(state), \(era), \(consumer) TO \(role)"]
    }

    /// Lets a role write and read history, and keep it with the owner's functions.
    ///
    /// The role gets no right on a slot, and none to change or delete rows of the history.
    package func writingGrants(to role: String) -> [String] {
        let functions = Function.allCases.filter(\.isForPrograms).map(signature(of:)).joined(separator: ", ")
        return [
            "GRANT SELECT, INSERT ON \(history) TO \(role)",
            "GRANT USAGE ON SEQUENCE \(number) TO \(role)",
            "GRANT SELECT ON \(current), \(state), \(era) TO \(role)",
            "GRANT SELECT, UPDATE, DELETE ON \(consumer) TO \(role)",
            "GRANT EXECUTE ON FUNCTION \(functions) TO \(role)",
        ]
    }
}

extension HistoryTables.Function {
    /// Indicates whether programs call the function, and not only other functions.
    package var isForPrograms: Bool { self != .rewound }
}

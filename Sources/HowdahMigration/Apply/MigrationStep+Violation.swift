extension MigrationStep.Check {
    /// What is wrong, with examples, and what to do, as a sentence without its end; nil where nothing was found.
    ///
    /// - Parameter found: keys of objects, each with the number of all.
    func violation(_ found: [(Int64, Int64)]) -> String? {
        guard let count = found.first?.1 else { return nil }
        let examples = found.map { "\(entity) \($0.0)" }.joined(separator: ", ")
        return "\(fault): \(count) \(count == 1 ? "object" : "objects") (\(examples)"
            + "\(count > found.count ? ", …" : "")); \(remedy)"
    }
}

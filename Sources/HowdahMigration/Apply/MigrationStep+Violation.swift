extension MigrationStep.Check {
    /// What is wrong, with examples, and what to do, as a sentence without its end; nil where nothing was found.
    ///
    /// - Parameter found: keys of objects, each with the number of all.
    func violation(_ found: [(Int64, Int64)]) -> String? {
        guard let count = found.first?.1 else { return nil }
        return message(found.map(\.0), of: count)
    }
}

import HowdahModel

extension PredicateTreeError {
    /// Returns the error with the unknown name's key path, if its message lacks that.
    func naming(_ keyPaths: [[String]]) -> PredicateTreeError {
        guard let token, let path = keyPaths.first(where: { $0.count > 1 && $0.contains(token) }) else {
            return self
        }
        let text = path.joined(separator: ".")
        guard !message.contains(text) else { return self }
        return PredicateTreeError(
            code, "In the key path \(text): \(message)", format: format, position: position, token: token,
            argument: argument)
    }
}

extension String {
    /// The article that stands before the word in a message: "a" or "an".
    package var article: String {
        let start = prefix(3).lowercased()
        guard let first = start.first else { return "a" }
        // "a URL", "a Unit", "a User", but "an Uncle".
        if first == "u" {
            return dropFirst().first?.isUppercase ?? true || start == "uni" || start == "use" ? "a" : "an"
        }
        return "aeio".contains(first) ? "an" : "a"
    }
}

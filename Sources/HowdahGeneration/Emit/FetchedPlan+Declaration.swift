extension FetchedPlan {
    /// The property as the class declares it; it has no storage of its own.
    func declaration(_ access: AccessLevel) -> [String] {
        let type = destination.contains(".") ? destination : destination.spelling
        let notes = [
            "/// What the model's fetched property \(SwiftLiteral.string(key)) finds; kept until the object is refreshed."
        ]
        return notes
            + ["fetchedObjects(forKey: \(SwiftLiteral.string(key)))"]
            .block("\(access.modifier)var \(name.spelling): [\(type)]")
    }
}

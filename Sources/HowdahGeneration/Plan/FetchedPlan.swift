/// One fetched property of a class, with its name and the class of what it finds.
struct FetchedPlan {
    /// The property's name in the model.
    let key: String
    /// The identifier in code, without backticks.
    let name: String
    let destination: String

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

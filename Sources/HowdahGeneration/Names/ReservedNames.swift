/// The names that generated code cannot give to properties and types.
enum ReservedNames {
    /// Members of every composite.
    static let compositeMembers: Set<String> = [
        "Type", "compositeDescription", "hash", "hashValue", "init", "self",
    ]

    /// The modules that generated code names types by, and what the compiler takes for its own.
    static let types: Set<String> = [
        "Any", "AnyObject", "ArrayLiteralType", "BooleanLiteralType", "DictionaryLiteralType",
        "FloatLiteralType",
        "Foundation", "Howdah", "IntegerLiteralType", "Protocol", "Self", "StringLiteralType", "Swift",
        "self",
        "Type",
    ]

    /// The name of a property as near to the model's as it can be.
    static func property(_ name: String, in members: Set<String>, types: Set<String>) -> String {
        let identifier = name.identifier
        let bare = String(identifier.drop { $0 == "_" })
        if bare != identifier { return (bare.first?.isNumber ?? true ? "n" : "") + bare + "_" }
        return members.contains(identifier) || types.contains(identifier) || Self.types.contains(identifier)
            ? identifier + "_" : identifier
    }
}

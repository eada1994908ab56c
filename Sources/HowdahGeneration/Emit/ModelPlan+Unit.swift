internal import HowdahModel

extension ModelPlan {
    /// The property that is the model, from its own text: a model has more in it than classes can say.
    func unit(_ access: AccessLevel) -> SourceUnit {
        let list = classes.map { "\($0.name.spelling).self," }
        // Outside of the extension, where a class of the same name as the extended type would be taken for that.
        let head = "nonisolated private func _\(name)Classes() -> [Howdah.ManagedObject.Type]"
        let function = (["["] + list.map { "    " + $0 } + ["]"]).block(head)
        let text = SwiftLiteral.raw(model.canonicalJSON)
        let body =
            [
                "/// The model \(SwiftLiteral.string(title)), with the classes generated from it.",
                "///",
                "/// - Throws: `ModelError` if a newer version of the library generated the code.",
            ]
            + ["get throws { try _\(name).get() }"].block(
                "\(access.modifier)static var \(name.spelling): Howdah.ManagedObjectModel")
            + [
                "",
                "private static let _\(name) = Swift.Result<Howdah.ManagedObjectModel, any Swift.Error> {",
                "    try Howdah._Emitted.model(",
                "        canonicalJSON: _\(name)Text,",
                "        classes: _\(name)Classes())", "}", "",
            ]
            + ["private static let _\(name)Text: Swift.String = " + (text.first ?? "")] + text.dropFirst()
        let lines = body.block("nonisolated extension Howdah.ManagedObjectModel") + [""] + function
        return SourceUnit(fileName, lines)
    }
}

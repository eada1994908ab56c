package import HowdahModel

/// The Swift code of a model: a class per entity, a struct per composite, and a constant that is the model itself.
///
/// The classes are what `@Entity` and `@Composite` make of the same declarations, so that they need neither macros
/// nor anything else beside `import Howdah`. Methods and computed properties of your own go into extensions in other
/// files; the generated ones are written anew whenever the model changes. Equal models give equal text.
package struct GeneratedCode: Sendable {
    /// The text of each file, by the file's name: `<Class>.swift`, `<Composite>.swift` and `<Name>Model.swift`.
    package let files: [String: String]
    /// The same in one file, for build tools that must know their outputs beforehand.
    package let singleFile: String
    /// What is called otherwise in code than in the model, and what code cannot reach; types first, then properties.
    package let warnings: [GenerationWarning]

    /// Writes the code of `model`.
    ///
    /// - Parameters:
    ///   - model: the model; its class names are used where they can be.
    ///   - name: what to call the model: `Company` makes `try ManagedObjectModel.company`.
    ///   - access: who may use the classes.
    package init(of model: ManagedObjectModel, named name: String, access: AccessLevel = .internal) {
        var planning = ModelPlanning(model, named: name)
        let plan = planning.plan()
        warnings = planning.warnings

        var units: [SourceUnit] = []
        units += plan.classes.map { $0.unit(access, model: plan.name) }
        units += plan.composites.map { $0.unit(access) }
        units.append(plan.unit(access))

        var names = UniqueNames(isCaseSensitive: false)
        files = Dictionary(
            uniqueKeysWithValues: units.map { (names.take($0.name) + ".swift", $0.text(access, model: name)) }
        )
        singleFile = SourceUnit(joining: units, name: name).text(access, model: name)
    }

    /// Whether a file's text was generated from a model of that name, now or earlier.
    package static func isGenerated(_ text: String, fromModelNamed name: String) -> Bool {
        text.hasPrefix(SourceUnit.mark(of: name))
    }
}

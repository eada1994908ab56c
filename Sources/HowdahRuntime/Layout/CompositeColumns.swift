import HowdahModel

/// The columns of a composite in a table of another program, which may lack a value that the model requires; a store
/// of its own has a CHECK that keeps it.
struct CompositeColumns: Sendable {
    let columns: Range<Int>
    /// The columns that have a value as soon as any of the composite's has one, with the paths of their elements.
    private(set) var required: [(column: Int, path: String)] = []

    /// The composites of an attribute, inner ones too, whose columns begin at `start`.
    static func all(in attribute: AttributeDescription, from start: Int) -> [CompositeColumns] {
        var found: [CompositeColumns] = []
        _ = add(attribute, attribute.name, start, to: &found)
        return found.filter { !$0.required.isEmpty }
    }

    /// Adds the composites of one attribute or element, and returns the columns that its presence requires.
    private static func add(
        _ attribute: AttributeDescription, _ path: String, _ start: Int, to found: inout [CompositeColumns]
    ) -> [(column: Int, path: String)] {
        guard attribute.isStored else { return [] }
        guard let composite = attribute.type.composite else { return [(start, path)] }
        var own = CompositeColumns(columns: start..<start + attribute.type.columnCount)
        var column = start
        for element in composite.elements where element.isStored {
            let required = add(element, "\(path).\(element.name)", column, to: &found)
            if !element.isOptional { own.required += required }
            column += element.type.columnCount
        }
        found.append(own)
        return own.required
    }
}

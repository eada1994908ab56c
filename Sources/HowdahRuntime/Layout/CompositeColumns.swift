import HowdahModel

/// The columns of a composite in a table of another program. They may lack a value that the model requires.
///
/// Tables that the store created have a CHECK for it.
struct CompositeColumns: Sendable {
    let columns: Range<Int>
    /// The columns that must have a value if any of the composite's has one, with the paths of their
    /// elements.
    private(set) var required: [(column: Int, path: String)] = []

    /// Returns the composites of an attribute, nested ones too, whose columns begin at `start`.
    static func all(in attribute: AttributeDescription, from start: Int) -> [CompositeColumns] {
        var found: [CompositeColumns] = []
        _ = add(attribute, attribute.name, start, to: &found)
        return found.filter { !$0.required.isEmpty }
    }

    /// Adds the composites of one attribute or element. It returns the columns that its presence requires.
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

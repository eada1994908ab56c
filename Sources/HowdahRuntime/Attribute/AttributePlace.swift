package import HowdahModel

/// A stored attribute, or an element of a composite: its type and columns.
package struct AttributePlace {
    package let type: AttributeType
    let isOptional: Bool
    package let columns: [LayoutColumn]

    /// Creates the place at the end of a path. If it does not exist, or is not stored, the result is nil.
    package init?(_ layout: EntityLayout, _ slot: Int, _ path: ArraySlice<String>) {
        guard let attribute = layout.attribute(slot) else { return nil }
        var description = attribute.description
        var columns = layout.slots[slot].columns.map { layout.columns[$0] }[...]
        for name in path {
            guard let composite = description.type.composite else { return nil }
            var found: AttributeDescription?
            for element in composite.elements where found == nil {
                let count = element.isStored ? element.type.columnCount : 0
                if element.name == name {
                    found = element
                    columns = columns.prefix(count)
                } else {
                    columns = columns.dropFirst(count)
                }
            }
            guard let found else { return nil }
            description = found
        }
        guard !columns.isEmpty else { return nil }
        type = description.type
        isOptional = description.isOptional
        self.columns = Array(columns)
    }
}

extension AttributeType {
    var hasArithmetic: Bool {
        switch kind {
        case .integer16, .integer32, .integer64, .decimal, .double, .float: true
        default: false
        }
    }
}

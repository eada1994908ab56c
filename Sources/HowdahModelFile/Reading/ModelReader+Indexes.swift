import HowdahModel

extension ModelReader {
    /// The indexes an entity has: those of today's files, and the two forms that older files have for them.
    mutating func fetchIndexes(of element: ModelElement, _ entity: String) -> [FetchIndexDescription] {
        var result: [FetchIndexDescription] = []
        for child in element.children(named: "fetchIndex") {
            guard let name = requiredName(of: child) else { continue }
            var elements: [FetchIndexElement] = []
            var method = FetchIndexDescription.Method.btree
            for member in child.children(named: "fetchIndexElement") {
                if let index = indexElement(member, entity, index: name) { elements.append(index) }
                if member.text("type") == "RTree" {
                    method = .gist
                } else if let type = member.text("type"), type != "Binary" {
                    warn(
                        "The type \"\(type)\" of the index \(name) is unknown, so the index is a B-tree. Choose Binary or RTree.",
                        member, entity: entity)
                }
            }
            guard !elements.isEmpty else {
                warn(
                    "The index \(name) has no elements and is ignored. Add a property, or remove the index.",
                    child,
                    entity: entity)
                continue
            }
            result.append(
                FetchIndexDescription(
                    name, elements: elements, partialIndexPredicate: child.text("partialIndexPredicate"),
                    method: method))
        }
        return FetchIndexDescription.indexes(on: olderIndexes(of: element), besides: result)
    }

    private mutating func indexElement(
        _ element: ModelElement, _ entity: String, index: String
    ) -> FetchIndexElement? {
        let isAscending = element.text("order") != "descending"
        if let property = element.text("property") {
            return FetchIndexElement(property, ascending: isAscending)
        }
        let text = element.text("expression") ?? ""
        // An expression that is only a key path, such as an element of a composite, is one of its columns.
        if !text.isEmpty,
            text.unicodeScalars.allSatisfy({
                $0 == "." || $0 == "_" || $0.properties.isAlphabetic || ("0"..."9").contains($0)
            })
        {
            return FetchIndexElement(text, ascending: isAscending)
        }
        warn(
            "The expression \"\(text)\" of the index \(index) is not supported in an index and is ignored. Use a key "
                + "path, or remove the expression.",
            element, entity: entity)
        return nil
    }

    /// Before Xcode 9 an attribute was `indexed`, and an entity had `compoundIndexes`.
    ///
    /// Relationships are always indexed.
    private func olderIndexes(of element: ModelElement) -> [[String]] {
        var result: [[String]] = []
        for attribute in element.children(named: "attribute") where attribute.flag("indexed") {
            if !attribute.flag("transient"), let name = attribute.text("name") { result.append([name]) }
        }
        for index in element.children(named: "compoundIndexes").flatMap({
            $0.children(named: "compoundIndex")
        }) {
            // Several names may stand in one value, with commas between them.
            let members = index.children(named: "index").compactMap { $0.text("value") }
            result.append(
                members.flatMap { $0.split(separator: ",").map { $0.trimmingPrefix(" ") }.map(String.init) })
        }
        return result
    }
}

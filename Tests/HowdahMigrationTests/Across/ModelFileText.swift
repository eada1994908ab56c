import Foundation
import HowdahModel

/// Writes the `contents` file of an `.xcdatamodel`, as Xcode does.
struct ModelFileText {
    private(set) var text = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22522" \
        systemVersion="22F66" minimumToolsVersion="Automatic" sourceLanguage="Swift" \
        userDefinedModelVersionIdentifier="">

        """

    init(_ entities: [EntityDescription]) {
        for entity in entities { write(entity) }
        text += "</model>\n"
    }

    /// Writes the file into a package of its own and returns the package's place.
    static func write(_ entities: [EntityDescription], named name: String, in folder: URL) throws -> URL {
        let package = folder.appending(path: "\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
        try ModelFileText(entities).text.write(
            to: package.appending(path: "contents"), atomically: true, encoding: .utf8)
        return package
    }

    private mutating func element(
        _ name: String, _ attributes: [(String, String?)], depth: Int, _ body: ((inout Self) -> Void)? = nil
    ) {
        let indent = String(repeating: "    ", count: depth)
        let written = attributes.compactMap { key, value in value.map { " \(key)=\"\(Self.escaped($0))\"" } }
        text += "\(indent)<\(name)\(written.joined())"
        guard let body else {
            text += "/>\n"
            return
        }
        text += ">\n"
        body(&self)
        text += "\(indent)</\(name)>\n"
    }

    private static func escaped(_ text: String) -> String {
        [("&", "&amp;"), ("<", "&lt;"), ("\"", "&quot;")].reduce(text) {
            $0.replacingOccurrences(of: $1.0, with: $1.1)
        }
    }

    private static func flag(_ value: Bool) -> String? { value ? "YES" : nil }

    private mutating func write(_ entity: EntityDescription) {
        element(
            "entity",
            [
                ("name", entity.name), ("representedClassName", entity.name),
                ("parentEntity", entity.superentity),
                ("isAbstract", Self.flag(entity.isAbstract)), ("elementID", entity.renamingIdentifier),
                ("syncable", "YES"), ("codeGenerationType", "class"),
            ], depth: 1
        ) { file in
            for property in entity.properties {
                if let attribute = property.attribute { file.write(attribute) }
                if let relationship = property.relationship { file.write(relationship, in: entity.name) }
            }
            for index in entity.fetchIndexes {
                file.element("fetchIndex", [("name", index.name)], depth: 2) { file in
                    for element in index.elements {
                        file.element(
                            "fetchIndexElement",
                            [
                                ("property", element.keyPath), ("type", "Binary"),
                                ("order", element.isAscending ? "ascending" : "descending"),
                            ], depth: 3)
                    }
                }
            }
            guard !entity.uniquenessConstraints.isEmpty else { return }
            file.element("uniquenessConstraints", [], depth: 2) { file in
                for constraint in entity.uniquenessConstraints {
                    file.element("uniquenessConstraint", [], depth: 3) { file in
                        for name in constraint { file.element("constraint", [("value", name)], depth: 4) }
                    }
                }
            }
        }
    }

    private mutating func write(_ attribute: AttributeDescription) {
        let isDate = attribute.type == .date
        let value = attribute.defaultValue.map(Self.text)
        element(
            "attribute",
            [
                ("name", attribute.name), ("optional", Self.flag(attribute.isOptional)),
                ("transient", Self.flag(attribute.isTransient)), ("attributeType", Self.type(attribute.type)),
                ("minValueString", attribute.minimum.map(Self.text)),
                ("maxValueString", attribute.maximum.map(Self.text)),
                (isDate ? "defaultDateTimeInterval" : "defaultValueString", value),
                ("regularExpressionString", attribute.regex), ("usesScalarValueType", "YES"),
                ("elementID", attribute.renamingIdentifier),
            ], depth: 2)
    }

    /// Xcode's name of a type: integer16 is Integer 16.
    private static func type(_ type: AttributeType) -> String {
        switch type {
        case .uuid, .uri: type.name.uppercased()
        default: type.name.capitalized.replacing(/[0-9]+/) { " \($0.output)" }
        }
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .bool(let flag): flag ? "YES" : "NO"
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .float(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .string(let text): text
        case .date(let date): "\(Int(date.timeIntervalSinceReferenceDate))"
        default: ""
        }
    }

    private mutating func write(_ relationship: RelationshipDescription, in entity: String) {
        let rules: [DeleteRule: String] = [
            .nullify: "Nullify", .cascade: "Cascade", .deny: "Deny", .noAction: "No Action",
        ]
        element(
            "relationship",
            [
                ("name", relationship.name), ("optional", Self.flag(relationship.isOptional)),
                ("toMany", Self.flag(relationship.isToMany)), ("ordered", Self.flag(relationship.isOrdered)),
                ("minCount", relationship.minCount == 0 ? nil : "\(relationship.minCount)"),
                ("maxCount", relationship.maxCount == 0 ? nil : "\(relationship.maxCount)"),
                ("deletionRule", rules[relationship.deleteRule]),
                ("destinationEntity", relationship.destination), ("inverseName", relationship.inverse),
                ("inverseEntity", relationship.inverse.map { _ in relationship.destination }),
                ("elementID", relationship.renamingIdentifier),
            ], depth: 2)
    }
}

import Foundation
import HowdahModel

extension MappingModelReader {
    mutating func attributeMapping(_ object: StoreDocument.Object, _ entity: String) -> PropertyMapping {
        let name = requiredName(of: object, entity)
        let expression = archivedExpression(object, entity, name)
        return PropertyMapping(
            name, expression, generatesValueExpression: expression == nil && generates(object),
            userInfo: userInfo(object, entity, name))
    }

    mutating func relationshipMapping(_ object: StoreDocument.Object, _ entity: String) -> PropertyMapping {
        let name = requiredName(of: object, entity)
        let expression = archivedExpression(object, entity, name) ?? lookup(object, entity, name)
        return PropertyMapping(
            name, expression, generatesValueExpression: expression == nil && generates(object),
            userInfo: userInfo(object, entity, name))
    }

    /// Attribute mappings do not say so; theirs always are.
    private func generates(_ object: StoreDocument.Object) -> Bool {
        (object.text("autogenerateexpression") ?? "1") != "0"
    }

    private mutating func requiredName(of object: StoreDocument.Object, _ entity: String) -> String {
        if let name = object.text("name") { return name }
        fault(
            "A property mapping of \(entity) has no name. Set the name of the property, or restore the mapping model "
                + "file from version control.", object.line)
        return ""
    }

    /// The expression that Xcode generates of a key path and the name of an entity mapping.
    private mutating func lookup(
        _ object: StoreDocument.Object, _ entity: String, _ name: String
    ) -> MappingExpression? {
        let mapping = object.text("sourcemappingname")
        let keyPath = object.text("sourcekeypath")
        guard mapping != nil || keyPath != nil, generates(object) else { return nil }
        let instances: MappingExpression
        do throws(PredicateTreeError) {
            instances = try MappingExpression(format: keyPath ?? "$source.#\(name)")
        } catch {
            fault(
                "\(entity).\(name): The key path is invalid. \(error.message)",
                object.attributes["sourcekeypath"]?.line ?? object.line)
            return nil
        }
        if let mapping {
            return .destinationInstances(forEntityMappingNamed: mapping, sourceInstances: instances)
        }
        return .destinationInstances(forSourceRelationshipNamed: name, sourceInstances: instances)
    }

    private mutating func archivedExpression(
        _ object: StoreDocument.Object, _ entity: String, _ name: String
    ) -> MappingExpression? {
        guard let bytes = bytes("valueexpressiondata", of: object, "\(entity).\(name): The value expression")
        else { return nil }
        do throws(ArchiveFault) {
            return try ArchivedExpression.read(bytes)
        } catch {
            fault(
                "\(entity).\(name): The value expression cannot be read. \(error.message)",
                object.attributes["valueexpressiondata"]?.line ?? object.line)
            return nil
        }
    }

    mutating func userInfo(
        _ object: StoreDocument.Object, _ entity: String, _ property: String? = nil
    ) -> [String: String] {
        let place = [entity, property].compactMap { $0 }.joined(separator: ".")
        guard let bytes = bytes("userinfodata", of: object, "\(place): The user info") else { return [:] }
        let line = object.attributes["userinfodata"]?.line ?? object.line
        do throws(ArchiveFault) {
            let (entries, unread) = try ArchivedExpression.userInfo(bytes)
            for key in unread.sorted() {
                warn(
                    "The user info \"\(key.prefix(60))\" is neither a string nor a number, so it has no effect. Use a "
                        + "string, or remove the entry.",
                    line,
                    entity: entity, property: property)
            }
            return entries
        } catch {
            fault("\(place): The user info cannot be read. \(error.message)", line)
            return [:]
        }
    }

    private mutating func bytes(
        _ attribute: String, of object: StoreDocument.Object, _ what: String
    ) -> [UInt8]? {
        guard let found = object.attributes[attribute] else { return nil }
        let text = found.text.filter { !$0.isWhitespace }
        if text.isEmpty { return nil }
        guard let data = Data(base64Encoded: text) else {
            fault(
                "\(what) is not Base64 text. Restore the mapping model file from version control.", found.line
            )
            return nil
        }
        return Array(data)
    }
}

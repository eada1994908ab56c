import Foundation
import HowdahModel

/// Turns the objects of a mapping model file into a mapping model, and notes what has no place in one.
struct MappingModelReader {
    private(set) var warnings: [ModelFileWarning]
    /// What is malformed; reading goes on behind it, so that everything is told at once.
    private var defects: [ModelFileDefect]
    private let document: StoreDocument
    private var objects: [String: StoreDocument.Object] = [:]
    private var used: Set<String> = []

    init(_ document: StoreDocument) {
        self.document = document
        defects = document.defects
        warnings = document.warnings
    }

    /// - Throws: ``ModelFileError`` with `malformed`.
    mutating func contents() throws(ModelFileError) -> MappingModelFile.Contents {
        for object in document.objects { register(object) }
        let models = document.objects.filter { $0.type == MappingVocabulary.model }
        if models.count != 1 {
            defects.append(
                ModelFileDefect(
                    line: models.last?.line ?? 1,
                    message:
                        "The file contains \(models.count) mapping models instead of one. Restore the mapping model file "
                        + "from version control, or save the mapping model in Xcode again."
                ))
        }
        var mappings: [(number: Int, mapping: EntityMapping)] = []
        for object in destinations("entitymappings", of: models.first, MappingVocabulary.entity) {
            let number = number(of: object)
            if let mapping = entityMapping(object) { mappings.append((number, mapping)) }
        }
        warnAboutUnused()
        guard defects.isEmpty else {
            throw ModelFileError(
                defects: defects.sorted { $0.line < $1.line }, issues: [], warnings: warnings)
        }
        let sorted = mappings.enumerated().sorted {
            ($0.element.number, $0.element.mapping.name, $0.offset)
                < ($1.element.number, $1.element.mapping.name, $1.offset)
        }
        return MappingModelFile.Contents(
            mappingModel: MappingModel(entityMappings: sorted.map(\.element.mapping)),
            sourceModelPath: models.first?.text("sourcemodelpath"),
            destinationModelPath: models.first?.text("destinationmodelpath"),
            warnings: warnings)
    }

    private mutating func register(_ object: StoreDocument.Object) {
        guard let known = MappingVocabulary.attributes[object.type] else {
            return warn(
                "The object type \(object.type.prefix(60)) is unknown, so the object has no effect. Correct the type, "
                    + "or remove the object.", object.line
            )
        }
        if object.id.isEmpty {
            fault(
                "The \(object.type) has no id. Give the object an id, or restore the mapping model file from "
                    + "version control.", object.line)
        } else if objects.updateValue(object, forKey: object.id) != nil {
            fault(
                "Two objects have the id \"\(object.id.prefix(60))\". Give one of the two another id, or restore "
                    + "the mapping model file from version control.", object.line)
        }
        for (name, attribute) in object.attributes.sorted(by: { $0.value.line < $1.value.line })
        where !known.contains(name) {
            warn(
                "The attribute \(name.prefix(60)) of \(object.type) is unknown and has no effect. Correct the name, or "
                    + "ignore this warning if Xcode wrote the attribute.",
                attribute.line)
        }
    }

    /// The objects that a relationship leads to, each once.
    private mutating func destinations(
        _ name: String, of object: StoreDocument.Object?, _ type: String
    ) -> [StoreDocument.Object] {
        var found: [StoreDocument.Object] = []
        for id in object?.relationships[name] ?? [] {
            guard let destination = objects[id], destination.type == type else {
                fault(
                    "The relationship \(name) refers to the id \"\(id.prefix(60))\", but no \(type) in the file has this "
                        + "id. Correct the id, or restore the mapping model file from version control.",
                    object?.line ?? 1)
                continue
            }
            guard used.insert(id).inserted else {
                fault(
                    "Two references point to the object with the id \"\(id.prefix(60))\", but it can belong "
                        + "to only one mapping. Remove one of the references, or restore the mapping model "
                        + "file from version control.",
                    destination.line
                )
                continue
            }
            found.append(destination)
        }
        return found
    }

    /// Xcode leaves mappings behind that belong to nothing any more.
    private mutating func warnAboutUnused() {
        let types = [MappingVocabulary.entity, MappingVocabulary.attribute, MappingVocabulary.relationship]
        for type in types {
            let left = document.objects.filter { $0.type == type && !used.contains($0.id) }
            guard let first = left.first else { continue }
            let names = Set(left.compactMap { $0.text("name") ?? $0.text("destinationname") }).sorted()
            warn(
                "\(left.count) \(type) objects belong to no other object and have no effect "
                    + "(\(names.prefix(8).joined(separator: ", "))\(names.count > 8 ? ", …" : "")). "
                    + "Remove the objects, or ignore this warning if Xcode left them.",
                first.line)
        }
    }

    private mutating func number(of object: StoreDocument.Object) -> Int {
        guard let text = object.text("mappingnumber") else { return 0 }
        if let number = Int(text) { return number }
        fault(
            "The mapping number \"\(text.prefix(40))\" is not an integer. Set an integer.",
            object.attributes["mappingnumber"]?.line ?? object.line)
        return 0
    }

    /// An entity mapping; nil for one without source and destination, as Xcode adds it before they are chosen.
    private mutating func entityMapping(_ object: StoreDocument.Object) -> EntityMapping? {
        let source = object.text("sourcename")
        let destination = object.text("destinationname")
        let name = object.text("name") ?? EntityMapping.name(from: source, to: destination)
        let attributes = destinations("attributemappings", of: object, MappingVocabulary.attribute).map {
            attributeMapping($0, name)
        }
        let relationships = destinations("relationshipmappings", of: object, MappingVocabulary.relationship)
            .map { relationshipMapping($0, name) }
        if source == nil, destination == nil {
            let place = name.isEmpty ? "An entity mapping" : "The entity mapping \(name.prefix(60))"
            warn(
                "\(place) has neither a source nor a destination, so it has no effect. Set one of the two, or remove "
                    + "the mapping.", object.line)
            return nil
        }
        return EntityMapping(
            name, from: source, to: destination, mappingType: mappingType(object, source, destination),
            sourceFilter: filter(object, name),
            attributeMappings: attributes.sorted { $0.name < $1.name },
            relationshipMappings: relationships.sorted { $0.name < $1.name },
            entityMigrationPolicyClassName: object.text("migrationpolicyclassname"),
            userInfo: userInfo(object, name))
    }

    /// What Xcode shows as the type is not kept; the models tell copy from transform.
    private mutating func mappingType(
        _ object: StoreDocument.Object, _ source: String?, _ destination: String?
    ) -> EntityMapping.MappingType {
        let implied: EntityMapping.MappingType =
            if object.text("migrationpolicyclassname") != nil {
                .custom
            } else if source == nil {
                .add
            } else {
                destination == nil ? .remove : .undefined
            }
        guard let text = object.text("mappingtypename"), text != "Undefined" else { return implied }
        if let type = EntityMapping.MappingType(rawValue: text.lowercased()) { return type }
        warn(
            "The mapping type \"\(text.prefix(40))\" is unknown and has no effect. Set Add, Remove, Copy, Transform "
                + "or Custom.",
            object.attributes["mappingtypename"]?.line ?? object.line)
        return implied
    }

    private mutating func filter(_ object: StoreDocument.Object, _ name: String) -> PredicateTree? {
        guard let text = object.text("sourcefilterpredicatestring") else { return nil }
        do throws(PredicateTreeError) {
            return try PredicateTree(format: text)
        } catch {
            fault(
                "\(name): The source filter is invalid. \(error.message)",
                object.attributes["sourcefilterpredicatestring"]?.line ?? object.line)
            return nil
        }
    }

    mutating func fault(_ message: String, _ line: Int) {
        defects.append(ModelFileDefect(line: line, message: message))
    }

    mutating func warn(
        _ message: String, _ line: Int, entity: String? = nil, property: String? = nil
    ) {
        warnings.append(
            ModelFileWarning(entityName: entity, propertyName: property, line: line, message: message))
    }
}

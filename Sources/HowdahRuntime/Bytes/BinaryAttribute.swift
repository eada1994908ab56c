import Foundation
import HowdahModel

/// The column of an object's Binary Data attribute.
struct BinaryAttribute {
    let layout: EntityLayout
    let slot: Int
    let key: Int64
    let objectURI: String

    /// - Throws: `FetchError` with `foreignID` for an id of another store or class, or `invalidRequest` for
    ///   an attribute of another type.
    init<Object: ManagedObject>(
        _ name: String, of id: ObjectID<Object>, in context: ManagedObjectContext
    ) throws {
        layout = try context.layout(for: id)
        guard context.store.classes[layout] is Object.Type else {
            throw FetchError(
                .foreignID,
                "The id is that of \(layout.name.article) \(layout.name), which is not a \(Object.self). Use the "
                    + "class of \(layout.name).")
        }
        guard let slot = layout.slotsByName[name], layout.attribute(slot)?.type == .binary,
            let position = layout.slots[slot].columns.first, layout.columns[position].type == .bytea
        else {
            throw FetchError(
                .invalidRequest,
                "Only stored attributes of type Binary Data are read and written in parts, and "
                    + "\(layout.name).\(name) is not one. Name such an attribute, or use the property of the "
                    + "object.")
        }
        self.slot = slot
        key = id.key
        objectURI = id.uriRepresentation.absoluteString
    }

    var column: LayoutColumn { layout.columns[layout.slots[slot].columns.lowerBound] }

    var name: String { layout.slots[slot].name }

    /// The entity column of a row, for the end of a select list; empty if all rows have one entity.
    var selectedEntity: String { layout.discriminator.map { ", \($0)" } ?? "" }

    /// Compares the entity of a row with that of the id.
    ///
    /// - Throws: `FetchError.foreignID`.
    func check(_ entity: String) throws {
        if entity == layout.storedName { return }
        throw FetchError(
            .foreignID,
            "The id is that of \(layout.name.article) \(layout.name), but the row has another entity. Fetch "
                + "the object, and use its objectID.")
    }

    /// The error for a row that does not exist.
    var notFound: FetchError {
        FetchError(
            .objectNotFound,
            "The \(layout.name) with this id is no longer in the store. Nothing was read or "
                + "written. Discard the id.",
            objectURI: objectURI)
    }

    /// Returns the name of an attribute.
    ///
    /// - Throws: `FetchError.invalidRequest` for a key path that is not a property.
    static func name(of attribute: AnyKeyPath) throws -> String {
        guard let name = PropertyNames.name(of: attribute) else {
            throw FetchError(.invalidRequest, PropertyNames.complaint(about: attribute))
        }
        return name
    }
}

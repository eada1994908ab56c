import Foundation
import HowdahModel

/// An object that was changed here and, since it was read, also in the store, with all three of its states.
///
/// If an object was given a destination whose row is deleted, that is a conflict too. Then
/// ``danglingRelationships`` has the relationships, and the versions need not differ.
///
/// Snapshots are by property name. Attributes are in the form of `value(forKey:)`, to-one relationships are
/// ids, and to-many ones are left out.
///
/// Source: Core Data's `NSMergeConflict`.
public struct MergeConflict {
    /// The object in the context, with its changes.
    public let object: ManagedObject
    /// The version that was read.
    public let oldVersion: Int64
    let stored: StoredRow?
    let lost: [LostDestination]
    /// The to-manys kept by the row that have other members or another order in the store than were read.
    let lists: Set<Int>
    /// The values by slot; kept because resolving the conflict changes the object.
    private let present: [ChangeRecord.Original?]
    private let read: [ChangeRecord.Original?]

    init(
        _ object: ManagedObject, _ stored: StoredRow?, lost: [LostDestination] = [], lists: Set<Int> = []
    ) {
        self.object = object
        self.lost = lost
        self.lists = lists
        self.stored = stored
        oldVersion = object.version
        let slots = object.layout.slots.indices
        let hasColumns = slots.map { !object.layout.slots[$0].columns.isEmpty }
        present = slots.map { hasColumns[$0] ? object.original(at: $0) : nil }
        read = slots.map { hasColumns[$0] ? object.read($0) : nil }
    }

    /// The version in the store; 0 if the row was deleted, or the object is new.
    public var newVersion: Int64 { stored?.version ?? 0 }

    /// The relationships whose new destinations have deleted rows.
    public var danglingRelationships: [String] {
        lost.map { $0.object.layout.slots[$0.slot].name }
    }

    /// The values in the context, with the changes that were unsaved when the conflict was found.
    public var objectSnapshot: [String: Any?] { snapshot { present[$0] } }

    /// The values when the object was read.
    public var cachedSnapshot: [String: Any?] { snapshot { read[$0] } }

    /// The values in the store; nil if the row was deleted, or the object is new.
    public var persistedSnapshot: [String: Any?]? {
        stored.map { stored in snapshot { stored.values[$0] } }
    }

    private func snapshot(_ value: (Int) -> ChangeRecord.Original?) -> [String: Any?] {
        let layout = object.layout
        var values: [String: Any?] = [:]
        for slot in layout.slots.indices where !layout.slots[slot].columns.isEmpty {
            switch value(slot) {
            case .value(let value):
                guard let attribute = layout.attribute(slot) else { continue }
                values[layout.slots[slot].name] = ValueCoding.any(value, of: attribute.type, path: [])
            case .toOne(let field): values[layout.slots[slot].name] = .some(id(field))
            case nil: continue
            }
        }
        return values
    }

    private func id(_ field: _ToOneField) -> Any? {
        guard field.entity >= 0 else { return nil }
        return (field.object ?? object.owner?.object(entity: Int(field.entity), key: field.key))?.objectID
    }
}

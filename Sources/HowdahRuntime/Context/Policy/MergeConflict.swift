import Foundation
import HowdahModel

/// One object that was changed here and, since it was read, also in the store, with all three states of it.
///
/// Or one that was made to lead to an object whose row is gone: then ``danglingRelationships`` names how, and the versions
/// need not differ.
///
/// Snapshots are by property name: attributes as by `value(forKey:)`, to-one relationships as ids, no to-many ones.
///
/// Source: Core Data's `NSMergeConflict`.
public struct MergeConflict {
    /// The object as it is here, changes included.
    public let object: ManagedObject
    /// The version that was read.
    public let oldVersion: Int64
    let stored: StoredRow?
    let lost: [LostDestination]
    /// The to-manys that the row keeps, as far as the store has other members or another order than were read.
    let lists: Set<Int>
    /// By slot; kept, because resolving the conflict changes the object.
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

    /// The version in the store; 0 where the row was deleted, or the object is new.
    public var newVersion: Int64 { stored?.version ?? 0 }

    /// The relationships that were made to lead to objects whose rows are gone.
    public var danglingRelationships: [String] {
        lost.map { $0.object.layout.slots[$0.slot].name }
    }

    /// The values here, with the changes that were unsaved when the conflict was found.
    public var objectSnapshot: [String: Any?] { snapshot { present[$0] } }

    /// The values when the object was read.
    public var cachedSnapshot: [String: Any?] { snapshot { read[$0] } }

    /// The values in the store; nil where the row was deleted, or the object is new.
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

    private func id(_ field: ToOneField) -> Any? {
        guard field.entity >= 0 else { return nil }
        return (field.object ?? object.owner?.object(entity: Int(field.entity), key: field.key))?.objectID
    }
}

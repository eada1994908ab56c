public import Foundation
public import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// Stores the value of a Binary Data attribute from its parts, without loading the object.
    ///
    /// ```swift
    /// try context.writeData(of: id, \.file, from: parts, version: version)
    /// ```
    /// Memory holds one part at a time. The value is stored in one transaction, or in that of `perform`,
    /// after the last part; a failure leaves the former value. The row's version increments, and attributes of
    /// `now()` get the time. Hooks are not called. Objects of other contexts have a conflict if they have
    /// unsaved changes; an unchanged object of this context loads again.
    ///
    /// While `parts` runs, the context refuses saves, batches, `findOrInsert` and `writeData`, which would
    /// commit a part of the value.
    ///
    /// The parts go into a large object of PostgreSQL, which the transaction removes again. The server needs
    /// memory for the whole value, up to twice its size, while it stores it in the row. A value has at most
    /// 1,073,741,000 bytes.
    ///
    /// - Parameter version: The version that the row must have; nil for any.
    /// - Returns: The new version.
    /// - Throws: `FetchError` with `invalidRequest` for an attribute of another type, and for one that is
    ///   derived or has allowed values. Also if attributes of other objects are derived from it, and in a
    ///   child context. `objectNotFound`, or `foreignID`. `SaveError` with `conflict` if the row has another
    ///   version. `database` if a trigger or a policy of row level security leaves the row out. `validation` for a value that is too long, or that a rule of the store refuses. `readOnly`,
    ///   and those of a save. The errors of the sequence.
    @discardableResult
    public func writeData<Object: ManagedObject, Value: AttributeValue>(
        of id: ObjectID<Object>, _ attribute: KeyPath<Object, Value>, from parts: some Sequence<Data>,
        version: ObjectVersion? = nil
    ) throws -> ObjectVersion {
        var iterator = parts.makeIterator()
        return try writeData(of: id, BinaryAttribute.name(of: attribute), expecting: version) {
            iterator.next()
        }
    }

    /// Stores the value of an attribute by name.
    ///
    /// - Parameter next: Returns the next part; nil after the last one.
    func writeData<Object: ManagedObject>(
        of id: ObjectID<Object>, _ name: String, expecting version: ObjectVersion?,
        _ next: () throws -> Data?
    ) throws -> ObjectVersion {
        try throwFailure()
        try checkConnection()
        try checkNoOpenWriting("writeData")
        try store.checkWritable()
        let attribute = try BinaryAttribute(name, of: id, in: self)
        let written = try DataWriting(attribute, expecting: version, in: self).run(next)
        unit?.noteStoring()
        if let unit, unit.isTransaction { settleIfRolledBack(unit) }
        if let version, let object = registry.find(root: attribute.layout.root, key: id.key),
            changes.expectedVersion(of: object) == version
        {
            // The program named the version that was compared here; what it goes on with is the written one.
            changes.expect(written, of: object)
            if let unit, unit.isTransaction {
                unit.onRollback {
                    guard object.owner === self, self.changes.named[object]?.isStale != true else { return }
                    self.changes.expect(version, of: object)
                }
            }
        }
        // The object is not of the written version any more. With changes, its save is a conflict.
        if let object = registry.find(root: attribute.layout.root, key: id.key), !object.hasChanges,
            !object.isFault
        {
            try refresh(object, mergeChanges: false)
        }
        if followed.hasListeners(besides: nil) {
            let telling = { [followed] in
                followed.tell(SaveNotice(updated: [id.typed()]), besides: nil)
            }
            if let unit, unit.isTransaction { unit.afterCommit(telling) } else { telling() }
        }
        return written
    }
}

import Foundation
public import HowdahModel

/// Long values of Binary Data attributes, in parts.
extension PersistentContainer {
    /// Returns a part of the value of a Binary Data attribute; one statement.
    ///
    /// For a request of HTTP with a `Range`, answer with the part's `range` and `count`, and with its
    /// `version` as the `ETag`. See `dataPart(of:_:in:)` of ``ManagedObjectContext``.
    ///
    /// - Returns: The part, or nil if the attribute has no value.
    /// - Throws: The errors of that method and of ``perform(isolation:retrying:timeout:_:)``.
    nonisolated(nonsending)
        public func dataPart<Object: ManagedObject, Value: AttributeValue>(
            of id: ObjectID<Object>, _ attribute: KeyPath<Object, Value>, in range: Range<Int>
        ) async throws -> DataPart?
    {
        let name = try BinaryAttribute.name(of: attribute)
        return try await perform { context in try context.dataPart(of: id, name, in: range) }
    }

    /// Returns the value of a Binary Data attribute as an asynchronous sequence of its parts.
    ///
    /// ```swift
    /// for try await bytes in container.dataParts(of: id, \.file) { try await writer.write(bytes) }
    /// ```
    /// Each part is one statement. Between two parts it holds no connection, no transaction and one part of
    /// memory, so a client may be slow. If the object changes meanwhile, the loop throws. In a table
    /// without a version column it compares only the length. If the attribute has no value, the loop ends at
    /// once.
    ///
    /// - Parameters:
    ///   - range: The part of the value to read.
    ///   - size: The number of bytes of each part but the last one.
    public func dataParts<Object: ManagedObject, Value: AttributeValue>(
        of id: ObjectID<Object>, _ attribute: KeyPath<Object, Value>, in range: Range<Int> = 0..<Int.max,
        size: Int = 1 << 20
    ) -> DataParts<Object> {
        let name = Result { try BinaryAttribute.name(of: attribute) }
        return DataParts(container: self, id: id, name: name, range: range, size: size)
    }

    /// Stores the value of a Binary Data attribute from an asynchronous sequence of its parts.
    ///
    /// ```swift
    /// let version = try await container.writeData(of: id, \.file, from: request.body, version: etag)
    /// ```
    /// The parts are collected in about a MiB of memory, and beyond that in a temporary file. Meanwhile the
    /// call holds no thread, connection or transaction of the container. Then one transaction stores them, as
    /// `writeData(of:_:from:version:)` of ``ManagedObjectContext`` does.
    ///
    /// - Parameters:
    ///   - parts: The parts, of any type with bytes.
    ///   - version: The version that the row must have; nil for any.
    /// - Returns: The new version.
    /// - Throws: The errors of that method; the error of the sequence; `CancellationError`. `StoreError` with
    ///   `streamIdle` if the sequence returns no part for ``StoreOptions/streamIdleTimeout``, `closed`, or
    ///   `temporaryFile`. After any of them nothing is stored.
    @discardableResult
    nonisolated(nonsending)
        public func writeData<
            Object: ManagedObject, Value: AttributeValue, Parts: AsyncSequence & SendableMetatype
        >(
            of id: ObjectID<Object>, _ attribute: KeyPath<Object, Value>, from parts: sending Parts,
            version: ObjectVersion? = nil
        ) async throws -> ObjectVersion
    where
        Parts.Element: Collection, Parts.Element.Element == UInt8, Parts.AsyncIterator: SendableMetatype,
        Parts.Element: SendableMetatype
    {
        let name = try BinaryAttribute.name(of: attribute)
        try store.checkWritable()
        let spool = Spool(directory: store.settings.temporaryDirectory)
        defer { spool.close() }
        // Sound: sent here, and used by the body only, which runs once.
        nonisolated(unsafe) let parts = parts
        try await store.stream(with: .source) { session in
            for try await part in parts {
                try session.advance()
                try Array(part).withUnsafeBytes { try spool.append($0) }
            }
        }
        return try await perform { context in
            try context.writeData(of: id, name, expecting: version) { try spool.next().map { Data($0) } }
        }
    }
}

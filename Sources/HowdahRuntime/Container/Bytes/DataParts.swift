public import Foundation
import HowdahModel

/// The value of a Binary Data attribute as an asynchronous sequence of its parts.
///
/// `PersistentContainer.dataParts(of:_:in:size:)` creates it.
public struct DataParts<Object: ManagedObject>: AsyncSequence, Sendable {
    let container: PersistentContainer
    let id: ObjectID<Object>
    let name: Result<String, any Error>
    let range: Range<Int>
    let size: Int

    /// Creates an iterator, which reads the first part in ``Iterator/next()``.
    public func makeAsyncIterator() -> Iterator { Iterator(parts: self) }

    /// The position of a loop over the parts.
    public struct Iterator: AsyncIteratorProtocol {
        private let parts: DataParts
        private var position: Int
        private var version: ObjectVersion?
        private var count: Int?

        init(parts: DataParts) {
            self.parts = parts
            position = parts.range.lowerBound
        }

        /// Returns the next part; nil at the end. It is one unit of work.
        ///
        /// - Throws: `FetchError.invalidRequest` for a size below one, `FetchError.changed` if the object
        ///   changed since the first part; the errors of `dataPart(of:_:in:)`.
        public mutating func next() async throws -> Data? {
            if let count, position >= Swift.min(count, parts.range.upperBound) { return nil }
            guard parts.size > 0 else {
                throw FetchError(.invalidRequest, "The size of a part is \(parts.size). Set it to 1 or more.")
            }
            let (sum, isTooLarge) = position.addingReportingOverflow(parts.size)
            let end = Swift.min(isTooLarge ? .max : sum, parts.range.upperBound)
            let (id, name) = (parts.id, try parts.name.get())
            let wanted = position..<Swift.max(position, end)
            let part = try await parts.container.perform { context in
                try context.dataPart(of: id, name, in: wanted)
            }
            guard let part else {
                if count != nil { throw changed }
                count = 0
                return nil
            }
            if let count, part.count != count || part.version != version { throw changed }
            (count, version) = (part.count, part.version)
            position = part.range.upperBound
            if part.bytes.isEmpty {
                position = .max
                return nil
            }
            return part.bytes
        }

        private var changed: FetchError {
            FetchError(
                .changed,
                "The object changed while the parts of its value were read. Read the value again from its first part.",
                objectURI: parts.id.uriRepresentation.absoluteString)
        }
    }
}

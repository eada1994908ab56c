public import Foundation
public import HowdahModel

/// A graph in canonical JSON, with the version of everything in it.
public struct GraphDocument: Sendable {
    /// The JSON, as `encodeGraph(of:keyPaths:)` returns it.
    public let json: Data
    /// The version of the document; nil if the context, or a parent of it, has unsaved changes.
    ///
    /// It is a digest of the JSON, of the ids and versions of all objects in it, and of the members of its to-many
    /// relationships. Two documents with one version are equal. If a session adds a member, or changes any object in the
    /// document, the next document has another version.
    public let version: ObjectVersion?
}

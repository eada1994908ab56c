import HowdahModel
import HowdahRuntime

/// An entity that a format does not fit, and how far it is from that.
struct Misfit {
    /// The key paths that the entity does not have.
    let unknownKeys: [KeyPathResolver.UnknownKey]
    /// What a fetch of the entity would throw.
    var error: PredicateTreeError?

    /// - Throws: `FetchError` for an entity that the model does not have.
    init(_ entity: String, _ keyPaths: [[String]], _ store: PreviewStore) throws {
        unknownKeys = try store.unknownKeys(in: keyPaths, of: entity)
        error = unknownKeys.first?.error
    }

    /// The entity that is probably meant: the one with the fewest unknown keys, then the one whose key paths lead furthest,
    /// then the one with a name that the key stands for.
    static func nearest(of misfits: [Misfit]) -> Misfit? {
        misfits.enumerated().min { one, other in
            (one.element.distance + [one.offset]).lexicographicallyPrecedes(
                other.element.distance + [other.offset])
        }?.element
    }

    private var distance: [Int] {
        let known = unknownKeys.reduce(0) { $0 + $1.knownKeys }
        return [unknownKeys.count, -known, unknownKeys.first?.suggestion.rank ?? 0]
    }
}

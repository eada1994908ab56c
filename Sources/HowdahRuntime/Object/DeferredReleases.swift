/// Objects without references, which are released one after another instead of each by its last referrer.
///
/// So the depth of the stack does not depend on the length of a chain.
final class DeferredReleases {
    private enum Part {
        case object(ManagedObject)
        case members([ManagedObject])
        case cohorts([Cohort])
    }

    private var parts: [Part] = []
    private var isReleasing = false

    /// Releases an object if this is the last reference to it.
    static func release(_ object: inout ManagedObject?) {
        guard isKnownUniquelyReferenced(&object) else { return }
        let remains = current
        if let last = object { remains.parts.append(.object(last)) }
        object = nil
        remains.release()
    }

    static func release(_ members: inout [ManagedObject]) {
        guard !members.isEmpty else { return }
        let remains = current
        remains.parts.append(.members(members))
        members = []
        remains.release()
    }

    static func release(_ cohorts: inout [Cohort.DestinationKey: Cohort]) {
        guard !cohorts.isEmpty else { return }
        let remains = current
        remains.parts.append(.cohorts(Array(cohorts.values)))
        cohorts = [:]
        remains.release()
    }

    /// Releases the parts. One of them may add others.
    private func release() {
        guard !isReleasing else { return }
        isReleasing = true
        while !parts.isEmpty { parts.removeLast() }
        isReleasing = false
    }

    private static let perThread = ThreadSpecific { DeferredReleases() }

    /// The remains of the calling thread: objects are released on the thread of their context.
    private static var current: DeferredReleases { perThread.current }
}

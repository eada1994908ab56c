import Foundation

/// Objects that nobody holds any more, on their way out: they are released one after the other, and not each by the one
/// that led to it. However long a chain of objects is, its release takes the same few frames of stack.
final class Remains {
    private enum Part {
        case object(ManagedObject)
        case members([ManagedObject])
        case cohorts([Cohort])
    }

    private var parts: [Part] = []
    private var isReleasing = false

    /// Takes the last reference to an object, and leaves other ones where they are.
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

    /// What one part leads to joins the others while this goes on.
    private func release() {
        guard !isReleasing else { return }
        isReleasing = true
        while !parts.isEmpty { parts.removeLast() }
        isReleasing = false
    }

    private static let slot: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            #if canImport(Darwin)
            Unmanaged<Remains>.fromOpaque(pointer).release()
            #else
            if let pointer { Unmanaged<Remains>.fromOpaque(pointer).release() }
            #endif
        }
        return key
    }()

    /// The calling thread's: objects die on the thread of their context.
    private static var current: Remains {
        if let pointer = pthread_getspecific(slot) {
            return Unmanaged<Remains>.fromOpaque(pointer).takeUnretainedValue()
        }
        let remains = Remains()
        pthread_setspecific(slot, Unmanaged.passRetained(remains).toOpaque())
        return remains
    }
}

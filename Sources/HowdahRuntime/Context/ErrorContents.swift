import Foundation

/// Searches an error for objects of a context.
///
/// An error is `Sendable`, and can hold objects nevertheless: `EncodingError.invalidValue(_:_:)` keeps any
/// value. If they are released on another thread, they change the identity map of a context that is at work.
struct ErrorContents {
    /// The limits of the search: the number of values, and the depth.
    private static let limit = (values: 10_000, depth: 12)

    private var seen: Set<ObjectIdentifier> = []
    private var count = 0

    /// Returns the error, or a substitute if it holds objects.
    static func withoutObjects(_ error: any Error) -> any Error {
        switch error {
        case is FetchError, is CancellationError: return error
        case var save as SaveError:
            save.issues = save.issues.map(withoutObjects)
            return save
        case let issue as ValidationIssue: return withoutObjects(issue)
        default: break
        }
        var contents = ErrorContents()
        guard contents.hasObject(error, depth: 0) else { return error }
        return FetchError(
            .invalidRequest,
            "The body of perform threw a \(type(of: error)) that contains managed objects, which cannot "
                + "leave their context. Throw an error with objectIDs or plain values instead.")
    }

    /// Returns the issue. If the error of a hook in it holds objects, that is replaced.
    private static func withoutObjects(_ issue: ValidationIssue) -> ValidationIssue {
        guard let underlyingError = issue.underlyingError else { return issue }
        var issue = issue
        issue.underlyingError = withoutObjects(underlyingError)
        return issue
    }

    private mutating func hasObject(_ value: Any, depth: Int) -> Bool {
        if value is ManagedObject || value is ManagedObjectContext { return true }
        count += 1
        guard count <= Self.limit.values, depth <= Self.limit.depth else { return false }
        if value is String || value is Data || value is Date || value is UUID || value is URL { return false }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .class, !seen.insert(ObjectIdentifier(value as AnyObject)).inserted {
            return false
        }
        var next: Mirror? = mirror
        while let part = next {
            for child in part.children where hasObject(child.value, depth: depth + 1) { return true }
            next = part.superclassMirror
        }
        if depth == 0, let error = value as? NSError {
            for entry in error.userInfo.values where hasObject(entry, depth: 1) { return true }
        }
        return false
    }
}

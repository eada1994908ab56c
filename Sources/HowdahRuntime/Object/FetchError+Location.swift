import Foundation
import HowdahModel

extension FetchError {
    /// Returns the error with the object whose row it is about.
    static func located(_ error: any Error, at object: ManagedObject) -> any Error {
        guard let error = error as? FetchError, error.objectURI == nil else { return error }
        return FetchError(
            error.code, error.message, objectURI: object.objectID.uriRepresentation.absoluteString,
            databaseError: error.databaseError,
            unknownValue: error.unknownValue)
    }
}

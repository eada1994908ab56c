import Foundation
import Howdah
import Hummingbird

extension Request {
    /// Returns the JSON of the body.
    ///
    /// - Throws: ``ProblemDetails`` with status 400 and the place of the fault, or 413.
    func document<Document: Decodable>(_ type: Document.Type) async throws -> Document {
        var data = Data()
        for try await part in LimitedBody(base: body, limit: 1 << 20) { data += part }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(type, from: data)
        } catch let error as DecodingError {
            throw ProblemDetails(invalidBody: error)
        }
    }
}

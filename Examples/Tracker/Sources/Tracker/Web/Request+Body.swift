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
        decoder.dateDecodingStrategy = .custom(Self.date)
        do {
            return try decoder.decode(type, from: data)
        } catch let error as DecodingError {
            throw ProblemDetails(invalidBody: error)
        }
    }

    /// Returns a date of ISO 8601, on a day that exists: Foundation alone reads 30 February as 2 March.
    private static func date(_ decoder: any Decoder) throws -> Date {
        let value = try decoder.singleValueContainer()
        let text = try value.decode(String.self)
        let day = text.prefix(10).split(separator: "-").compactMap { Int($0) }
        guard day.count == 3, let date = try? Date(text, strategy: .iso8601),
            DateComponents(year: day[0], month: day[1], day: day[2])
                .isValidDate(in: Calendar(identifier: .gregorian))
        else {
            throw DecodingError.dataCorruptedError(
                in: value, debugDescription: "This is no date of ISO 8601.")
        }
        return date
    }
}

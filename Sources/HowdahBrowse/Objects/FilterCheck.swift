import Foundation
import HowdahModel
import HowdahRuntime

/// The fault of a filter that is being typed; empty if the filter is correct. No statement.
struct FilterCheck: Encodable {
    private(set) var message: String?
    private(set) var before: String?
    private(set) var token: String?
    private(set) var after: String?
    private(set) var mended: String?
    /// The number of texts in which the mended filter looks for the words that were typed.
    private(set) var searched: Int?

    /// - Throws: `BrowseError` if the model has no such entity.
    init(_ filter: String, of entity: String, _ source: PageSource) throws {
        _ = try source.guide.entity(entity)
        do {
            _ = try source.preview?.fetch(entity, where: PredicateTree(filter: filter))
        } catch let error as PredicateTreeError {
            let fault = FilterFault(error, in: filter, of: entity, source.guide, source.preview)
            message = fault.message
            (before, token, after) = (fault.parts?.before, fault.parts?.token, fault.parts?.after)
            (mended, searched) = (fault.mended, fault.searchedCount)
        } catch {
            message = ErrorWords.of(error).message
        }
    }

    func response() throws -> BrowseResponse {
        BrowseResponse(
            String(decoding: try JSONEncoder().encode(self), as: UTF8.self), type: "application/json")
    }
}

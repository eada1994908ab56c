/// The side of a stream that is not the store.
package enum StreamSide {
    /// The source of an insertion or an import.
    case source
    /// The client of an export.
    case client

    /// The beginning of the error if this side is idle.
    var idleness: String {
        switch self {
        case .source: "The source of the stream sent no data"
        case .client: "The client of the export read no data"
        }
    }

    /// The side as the object of a sentence.
    var name: String {
        switch self {
        case .source: "the source"
        case .client: "the client"
        }
    }

    /// The consequence for the store if the stream ends early.
    var consequence: String {
        switch self {
        case .source: " Nothing was saved."
        case .client: ""
        }
    }
}

import HowdahModel

/// The rows of one step of reading, in the order of the changes.
struct HistoryReading: Sendable {
    var rows: [HistoryRow] = []
    /// The end of the window that the rows are of; nil if there was no newer edge.
    var end: StoreSnapshot?
    /// The edge that is the end, flushed; nil if nothing new was read, or a page.
    var edge: HistoryEdge?
    /// The beginning of the window.
    var start: StoreSnapshot
    /// The token after the rows.
    var token: HistoryToken
    /// Indicates whether the window was read to its end.
    var isComplete = true
    /// Indicates whether the last history transaction has more rows.
    var isPartial = false
    /// Indicates whether changes before the token may be repeated, as it is of an earlier era.
    var isRewound = false
    /// The newest edge, if it is not flushed.
    var kept: HistoryEdge?
}

/// A part of a fetch's result, and where the next part begins.
public struct FetchedPage<Object> {
    /// The objects, in the request's order.
    public let objects: [Object]
    /// The place behind the last object; nil where there were no more when the page was fetched.
    public let next: PageCursor?
}

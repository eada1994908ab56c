/// A part of a fetch's result, with the cursor of the next part.
public struct FetchedPage<Object> {
    /// The objects, in the request's order.
    public let objects: [Object]
    /// The position after the last object; nil if there were no more when the page was fetched.
    public let next: PageCursor?
}

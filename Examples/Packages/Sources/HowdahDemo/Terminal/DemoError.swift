/// An error whose text is all a reader needs; printed without a type name.
struct DemoError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

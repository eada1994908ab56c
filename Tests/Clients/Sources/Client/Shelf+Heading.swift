// What is one's own stands beside the generated class.
extension Shelf {
    static var heading: String { _entityName + "es" }
}

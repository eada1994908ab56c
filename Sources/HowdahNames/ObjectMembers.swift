/// The names that no property of a managed object class can have.
package enum ObjectMembers {
    /// The names that Swift has for something else behind a dot.
    ///
    /// Members of managed objects are not among them: those are declared in protocol extensions, so that a property takes
    /// precedence, or are hooks with parentheses. Names that begin with an underscore are the library's throughout.
    package static let names: Set<String> = ["Type", "init", "self"]
}

package import HowdahModel
import HowdahSchema
import PQClient

/// A function of the store that folds texts; what is compared folded goes through it on both sides, so that the server
/// alone decides what is the same letter.
package struct FoldingFunction: Sendable, Hashable {
    /// Where texts are folded: by functions of the store, or, over tables of another program, by the same expressions in
    /// their place.
    package struct Place: Sendable, Hashable {
        let schemaName: String
        let isInline: Bool
    }

    /// As in the store's schema, neither quoted nor qualified.
    private let name: String
    private let place: Place
    /// What comparisons do not look at.
    let options: PredicateTree.Options

    /// The function for what comparisons with `options` do not look at; nil where they look at everything.
    package init?(_ options: PredicateTree.Options, in place: Place) {
        guard let name = StoreSchema.foldingFunction(options) else { return nil }
        self.name = name
        self.place = place
        self.options = options.folding
    }

    /// The call for one text.
    package func sql(_ text: String) -> String {
        place.isInline
            ? "(\(FoldingFunctions.expression(name, of: text)))"
            : "\(SQLIdentifier.quoted(place.schemaName, name))(\(text))"
    }

    /// The members of an array, in any order, as an array.
    package func sql(members array: String) -> String {
        "ARRAY(SELECT \(sql("v")) FROM pg_catalog.unnest(\(array)) v)"
    }

    /// An array with its members folded; NULL for NULL.
    package func sql(array: String) -> String {
        let members =
            "ARRAY(SELECT \(sql("e.v")) FROM pg_catalog.unnest(\(array)) WITH ORDINALITY AS e(v, n) ORDER BY e.n)"
        return "(CASE WHEN \(array) IS NOT NULL THEN \(members) END)"
    }
}

extension EntityLayout {
    /// Where texts are folded.
    package var folding: FoldingFunction.Place {
        FoldingFunction.Place(schemaName: schemaName, isInline: table.existing != nil)
    }
}

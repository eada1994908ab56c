package import HowdahModel
import HowdahSchema
import PQClient

/// A function of the store that folds texts.
///
/// Both sides of a folded comparison use it, so that only the server decides about equal letters.
package struct FoldingFunction: Sendable, Hashable {
    /// The place at which texts are folded: functions of the store or, over tables of another program, the
    /// same expressions inline.
    package struct Place: Sendable, Hashable {
        let schemaName: String
        let isInline: Bool
    }

    /// The name in the store's schema, neither quoted nor qualified.
    private let name: String
    private let place: Place
    /// The differences that comparisons ignore.
    let options: PredicateTree.Options

    /// Creates the function for the differences that `options` ignore; nil if they ignore none.
    package init?(_ options: PredicateTree.Options, in place: Place) {
        guard let name = StoreSchema.foldingFunction(options) else { return nil }
        self.name = name
        self.place = place
        self.options = options.folding
    }

    /// Returns the call for one text.
    package func sql(_ text: String) -> String {
        place.isInline
            ? "(\(FoldingFunctions.expression(name, of: text)))"
            : "\(SQLIdentifier.quoted(place.schemaName, name))(\(text))"
    }

    /// Returns the folded members of an array, in any order, as an array.
    package func sql(members array: String) -> String {
        "ARRAY(SELECT \(sql("v")) FROM pg_catalog.unnest(\(array)) v)"
    }

    /// Returns an array with its members folded; NULL for NULL.
    package func sql(array: String) -> String {
        let members =
            "ARRAY(SELECT \(sql("e.v")) FROM pg_catalog.unnest(\(array)) WITH ORDINALITY AS e(v, n) ORDER BY e.n)"
        return "(CASE WHEN \(array) IS NOT NULL THEN \(members) END)"
    }
}

extension EntityLayout {
    /// The place at which texts are folded.
    package var folding: FoldingFunction.Place {
        FoldingFunction.Place(schemaName: schemaName, isInline: table.existing != nil)
    }
}

import HowdahModel
import PQClient

/// A function of the store that folds texts; what is compared folded goes through it on both sides, so that the server
/// alone decides what is the same letter.
struct FoldingFunction: Sendable, Hashable {
    /// Quoted and qualified.
    private let name: String

    /// The function for what comparisons with `options` do not look at; nil where they look at everything.
    init?(_ options: PredicateTree.Options, inSchema schemaName: String) {
        let name: String
        switch options.folding {
        case .caseInsensitive: name = StoreSchema.caseFolding
        case .diacriticInsensitive: name = StoreSchema.diacriticFolding
        case [.caseInsensitive, .diacriticInsensitive]: name = StoreSchema.caseAndDiacriticFolding
        default: return nil
        }
        self.name = SQLIdentifier.quoted(schemaName, name)
    }

    /// The call for one text.
    func sql(_ text: String) -> String { "\(name)(\(text))" }

    /// The members of an array, in any order, as an array.
    func sql(members array: String) -> String { "ARRAY(SELECT \(sql("v")) FROM unnest(\(array)) v)" }

    /// An array with its members folded; NULL for NULL.
    func sql(array: String) -> String {
        let members =
            "ARRAY(SELECT \(sql("e.v")) FROM unnest(\(array)) WITH ORDINALITY AS e(v, n) ORDER BY e.n)"
        return "(CASE WHEN \(array) IS NOT NULL THEN \(members) END)"
    }
}

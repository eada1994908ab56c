/// The `userInfo` keys that control the storage of a model; all but ``type`` are a part of the model's
/// checksum.
public enum MappingKey {
    /// On a root entity: the name of its table. On a to-many relationship with a join table: the name of that
    /// table.
    ///
    /// The name is used unchanged. A subentity has no table and cannot have the key.
    public static let table = "howdah.table"

    /// The name of a column, which is used unchanged, also in subentities.
    ///
    /// - On an attribute: the name of its column, or the beginning of the names of a composite's columns.
    /// - On a to-one relationship: the name of its foreign key column.
    /// - On a relationship with a join table: the name of the column with the destination's key.
    /// - On an element of a composite: its part of the column's name.
    public static let column = "howdah.column"

    /// On a Transformable attribute: `YES` stores it in a `jsonb` column instead of `bytea`.
    public static let jsonb = "howdah.jsonb"

    /// On a String, URI, Binary or Transformable attribute of a uniqueness constraint: `YES` compares
    /// digests.
    ///
    /// Values of any length can then be unique. A unique index over the value itself refuses values of more
    /// than about 2,700 bytes.
    public static let digest = "howdah.digest"

    /// On a String attribute, or a String in a composite: `YES` makes comparisons ignore case.
    ///
    /// See ``AttributeDescription/isCaseInsensitive``.
    public static let caseInsensitive = "howdah.caseInsensitive"

    /// On a String or URI attribute, or one in a composite: `cd` adds a fetch index for comparisons with
    /// `[cd]`.
    ///
    /// `c` and `d` add one for comparisons with `[c]` and `[d]`; see
    /// ``FetchIndexElement/folded(_:options:ascending:)``.
    public static let foldedIndex = "howdah.foldedIndex"

    /// On a String or URI attribute, or one in a composite: a locale such as `de` adds a fetch index in its
    /// order.
    ///
    /// See ``FetchIndexElement/localized(_:locale:ascending:)``.
    public static let localeIndex = "howdah.localeIndex"

    /// On a root entity: the name of the integer column that is the key of its rows; `_id` by default.
    ///
    /// It is for tables of another program. A subentity's rows have the key of their root's table.
    public static let key = "howdah.key"

    /// On a root entity: the name of the integer column that grows with each change of a row, or
    /// ``noVersion``.
    ///
    /// The default is `_version`.
    public static let version = "howdah.version"

    /// The value of ``version`` for a table without such a column: its objects are read-only.
    public static let noVersion = "none"

    /// On a relationship: `YES` adds a trigger for delete rules that no foreign key can enforce.
    ///
    /// See ``RelationshipDescription/hasDeleteTrigger``.
    public static let deleteTrigger = "howdah.deleteTrigger"

    /// On a root entity: `YES` adds a trigger that increments the version of a row that other statements
    /// change.
    ///
    /// It acts if a statement of another program, or your own SQL, changes the row and not its version. A
    /// save that has read the row then has a conflict. Howdah's own statements increment versions themselves,
    /// so the trigger has no effect on them. Derived attributes and places in ordered relationships do not
    /// count.
    public static let versionTrigger = "howdah.versionTrigger"

    /// On a Transformable attribute: the Swift type of the property in generated classes.
    ///
    /// It conforms to `AttributeTransformable` or, with ``jsonb``, to `AttributeJSON`. It is not a part of
    /// the checksum.
    public static let type = "howdah.type"

    /// Another place for a description's ``AttributeDescription/valueTransformerName``.
    package static let transformer = "howdah.transformer"

    /// The prefix of all keys.
    static let prefix = "howdah."

    package static let all: Set<String> = [
        table, column, jsonb, digest, caseInsensitive, foldedIndex, localeIndex, key, version,
        deleteTrigger, versionTrigger, type,
    ]

    /// The keys that determine the storage of a model.
    package static let steering = all.subtracting([type])
}

extension AttributeDescription {
    /// A Boolean value that indicates whether a Transformable attribute has a `jsonb` column.
    package var isStoredAsJSON: Bool {
        type == .transformable && MappingKey.flag(userInfo[MappingKey.jsonb]) == true
    }

    /// A Boolean value that indicates whether uniqueness constraints compare digests of the attribute's
    /// values.
    package var isUniqueByDigest: Bool { MappingKey.flag(userInfo[MappingKey.digest]) == true }

    /// A Boolean value that indicates whether predicates, sorting and uniqueness treat "Ada" and "ADA" as one
    /// text.
    ///
    /// The value itself stays as you set it. Predicates compare as with `[c]`, except for `MATCHES`, and
    /// exactly with `[n]`. Validation rules keep their exact meaning. It is stored in ``userInfo`` under
    /// ``MappingKey/caseInsensitive``.
    public var isCaseInsensitive: Bool {
        get { userInfo.isEmpty ? false : MappingKey.flag(userInfo[MappingKey.caseInsensitive]) ?? false }
        set { userInfo[MappingKey.caseInsensitive] = newValue ? MappingKey.yes : nil }
    }
}

extension RelationshipDescription {
    /// A Boolean value that indicates whether the database enforces the delete rule even if no foreign key
    /// can.
    ///
    /// A trigger then does, for deletions by batch requests, `psql` and other programs. Saves do not depend
    /// on it. It has an effect in three cases:
    ///
    /// - cascade and deny of a to-one whose own table has the column;
    /// - cascade of relationships with a join table;
    /// - the links that no action leaves in a join table.
    ///
    /// It is stored in ``userInfo`` under ``MappingKey/deleteTrigger``.
    public var hasDeleteTrigger: Bool {
        get { userInfo.isEmpty ? false : MappingKey.flag(userInfo[MappingKey.deleteTrigger]) ?? false }
        set { userInfo[MappingKey.deleteTrigger] = newValue ? MappingKey.yes : nil }
    }
}

extension MappingKey {
    /// The keys that only the pages of `howdah browse` read.
    package static let ofPages: Set<String> = [label, sensitive]
    /// The name of the attribute that labels an entity's objects.
    package static let label = "howdah.label"
    /// A mark of an attribute whose values are masked.
    package static let sensitive = "howdah.sensitive"

    /// The text of a flag in Xcode's editor.
    package static let yes = "YES"

    /// Returns the value of a flag in its common spellings; nil for other texts and for none.
    package static func flag(_ text: String?) -> Bool? {
        switch text {
        case yes, "true": true
        case "NO", "false": false
        default: nil
        }
    }
}
